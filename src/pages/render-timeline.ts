import { axisStepMs, durationText } from './duration-text.js';
import type { Timeline, Tone } from './page.js';
import { escapeHtml } from './visible-text.js';

/** Returns a timeline as HTML: bars that can be focused, each with what it is in words. */
export function renderTimeline({ caption, legend = {}, rows }: Timeline): string {
  const bars = rows.flatMap((row) => row.bars);
  const fromMs = bars.reduce((least, bar) => Math.min(least, bar.fromMs), Number.POSITIVE_INFINITY);
  const toMs = bars.reduce((most, bar) => Math.max(most, bar.toMs), Number.NEGATIVE_INFINITY);
  const wholeMs = Math.max(1, toMs - fromMs); // infinite amounts only without bars, which need no place
  const percent = (ms: number): string => `${Number(((100 * ms) / wholeMs).toFixed(3))}%`;
  const stepMs = axisStepMs(Number.isFinite(wholeMs) ? wholeMs : 1);
  const lanes = rows.map(({ label, bars }) => {
    const drawn = bars.map(({ fromMs: from, toMs: to, tone, text }) => {
      const place = `left:${percent(from - fromMs)};width:${percent(to - from)}`;
      const words = escapeHtml(text);
      return `<span class="bar ${tone}" role="img" tabindex="0" aria-label="${words}" style="${place}"></span><span class="tip" aria-hidden="true">${words}</span>`;
    });
    return `<li><div class="label">${escapeHtml(label)}</div><div class="lane">${drawn.join('')}</div></li>`;
  });
  return `<figure class="timeline"><figcaption>${escapeHtml(caption)}</figcaption>
${renderLegend(legend)}<ol class="rows" style="--step:${percent(stepMs)}">
${lanes.join('\n')}
</ol>
${bars.length === 0 ? '' : renderAxis(wholeMs, stepMs, percent)}</figure>`;
}

function renderLegend(legend: Readonly<Partial<Record<Tone, string>>>): string {
  const entries = Object.entries(legend).map(
    ([tone, text]) => `<li><span class="bar ${tone}"></span>${escapeHtml(text)}</li>`,
  );
  return entries.length === 0 ? '' : `<ul class="legend">${entries.join('')}</ul>\n`;
}

/** Marks of the time since the first bar began; a narrow page shows every other one. */
function renderAxis(wholeMs: number, stepMs: number, percent: (ms: number) => string): string {
  const marks: string[] = [];
  for (let index = 0; index * stepMs <= 0.93 * wholeMs; index += 1) {
    const side = index % 2 === 0 ? 'even' : 'odd';
    const place = `left:${percent(index * stepMs)}`;
    marks.push(`<span class="${side}" style="${place}">${durationText(index * stepMs)}</span>`);
  }
  return `<div class="axis" aria-hidden="true"><div class="label"></div><div class="ticks">${marks.join('')}</div></div>
`;
}
