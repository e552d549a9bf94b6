import type { Chart, Page, Tone } from '../../src/pages/page.js';

/** Text that would be a script, an attribute, a command of a terminal or a turned line where it weren't escaped. */
export const hostileText =
  `</style></title><script>document.title='taken'</script><img src=x onerror="alert(1)">'"&amp;$&$1` +
  '\u0000\u0008\u001b[31m\u202egnp.exe\u2066\ud800\ufffe url(#clip1) id="clip1"';

/** A chart of two series with the texts given. */
export function sampleChart(text: string): Chart {
  const series = [`without ${text}`, `with ${text}`];
  const values = Array.from({ length: 40 }, (_, second) =>
    series.map((name, index) => ({ second, calls: 20 + ((second * (index + 3)) % 17), name })),
  ).flat();
  return {
    title: `Calls per second ${text}`,
    description: `At most 36 calls a second ${text}.`,
    spec: {
      data: { values },
      mark: { type: 'line', clip: true },
      encoding: {
        x: { field: 'second', type: 'quantitative', title: `Seconds ${text}` },
        y: { field: 'calls', type: 'quantitative', title: 'Calls' },
        color: { field: 'name', type: 'nominal', title: null },
      },
    },
  };
}

/** A page with each kind of block and the text given in each field that can hold somebody else's text. */
export function samplePage(text: string): Page {
  const tones: readonly Tone[] = ['good', 'bad', 'warning', 'quiet'];
  return {
    title: `A sample ${text}`,
    lead: `What it shows ${text}.`,
    command: `holdfast sample ${text}`,
    sections: [
      {
        title: `Figures ${text}`,
        blocks: [
          { kind: 'text', text: `First line ${text}\nsecond line` },
          {
            kind: 'facts',
            facts: [
              { name: `Calls ${text}`, value: '1,204' },
              ...tones.map((tone) => ({ name: `A ${tone} figure`, value: `12 ${text}`, tone })),
            ],
          },
          {
            kind: 'table',
            table: {
              caption: `Calls by activity ${text}`,
              columns: [
                { title: `Activity ${text}` },
                { title: 'Attempts', isNumber: true },
                { title: 'Last failure' },
                ...['Waited', 'Tokens', 'Money', 'p50', 'p95', 'Amplification'].map((title) => ({
                  title,
                  isNumber: true,
                })),
              ],
              rows: tones.map((tone) => [
                `find_orders ${text}`,
                '12',
                { text: `ConnectionReset: the server ended the connection ${text}`, tone },
                ...['12 s', '40,000', '0.12', '120 ms', '900 ms', '1.4'],
              ]),
            },
          },
        ],
      },
      {
        title: 'Plots',
        blocks: [
          { kind: 'chart', chart: sampleChart(text) },
          { kind: 'chart', chart: barChart(text) },
        ],
      },
      {
        title: 'Time',
        blocks: [
          {
            kind: 'timeline',
            timeline: {
              caption: `Attempts over time ${text}`,
              legend: {
                good: 'answered',
                bad: 'failed',
                warning: 'waits',
                quiet: `queued ${text}`,
              },
              rows: Array.from({ length: 6 }, (_, row) => ({
                label: `call_${row} ${text}`,
                bars: tones.map((tone, index) => ({
                  fromMs: 1_700_000_000_000 + 900 * row + 4_000 * index,
                  toMs: 1_700_000_000_000 + 900 * row + 4_000 * index + 2_500,
                  tone,
                  text: `attempt ${index + 1}, ${tone} ${text}`,
                })),
              })),
            },
          },
        ],
      },
    ],
  };
}

function barChart(text: string): Chart {
  return {
    title: 'Retries by activity',
    description: 'Most retries are of the first.',
    spec: {
      data: { values: [9, 5, 2].map((retries, row) => ({ activity: `${row} ${text}`, retries })) },
      mark: 'bar',
      encoding: {
        y: { field: 'activity', type: 'nominal', title: null, sort: '-x' },
        x: { field: 'retries', type: 'quantitative', title: 'Retries' },
      },
    },
  };
}
