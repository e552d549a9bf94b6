import type { Block, Page, Tone } from '../../pages/page.js';
import { drillCharts } from './drill-charts.js';
import type { DrillPlan } from './drill-plan.js';
import type { DrillResult, SideResult } from './drill-result.js';
import { drillRows, seconds, sideTitles } from './drill-rows.js';
import type { Verdict } from './verdicts.js';

/** Returns the page of a drill: its verdicts, its figures side by side, and its plots. */
export function drillPage(result: DrillResult): Page {
  const { plan, passed, sides } = result;
  return {
    title: 'Fault drill, with holdfast and without',
    lead: `${passed ? 'holdfast keeps every bound that could be judged' : 'holdfast misses a bound'}. ${leadOf(result)}`,
    command: commandOf(plan),
    sections: [
      { title: 'Verdicts', blocks: sides.map(verdictTable) },
      { title: 'Figures', blocks: [figureTable(sides)] },
      {
        title: 'Second by second',
        blocks: [
          {
            kind: 'text',
            text: 'Both sides ran at once and met the same faults. Dotted lines mark where the fault begins and ends.',
          },
          ...drillCharts(result).map((chart): Block => ({ kind: 'chart', chart })),
        ],
      },
    ],
  };
}

function leadOf({ plan, sides }: DrillResult): string {
  const ends = sides.map(({ id, totals }) => {
    const { ok, degraded } = totals.ends;
    return `${ok + degraded} of ${totals.tickets} users were answered with ${sideTitles[id]} (95 % within ${seconds(totals.p95Ms)})`;
  });
  const struck = plan.networkFaults ? 'connections were struck' : 'calls were dropped';
  return (
    `${plan.ratePerSecond} tickets a second arrived at each side; for ${plan.faultMs / 1_000} s 30 % of ` +
    `their ${struck} and all waited 2 s. ${ends.join(', ')}.`
  );
}

const tones: Readonly<Record<Verdict['kind'], Tone>> = {
  pass: 'good',
  fail: 'bad',
  unjudged: 'warning',
};

function verdictTable({ id, verdicts }: SideResult): Block {
  return {
    kind: 'table',
    table: {
      caption: `The bounds, with ${sideTitles[id]}`,
      columns: [{ title: 'Bound' }, { title: 'Verdict' }, { title: 'Measured' }],
      rows: verdicts.map(({ name, kind, figure }) => [
        name,
        { text: kind, tone: tones[kind] },
        figure,
      ]),
    },
  };
}

function figureTable(sides: readonly SideResult[]): Block {
  return {
    kind: 'table',
    table: {
      caption: 'Figures of the whole drill',
      columns: [
        { title: 'Figure' },
        ...sides.map(({ id }) => ({ title: sideTitles[id], isNumber: true })),
      ],
      rows: drillRows(sides).map(({ name, values }) => [name.trim(), ...values]),
    },
  };
}

function commandOf({ calmMs, faultMs, recoveryMs, ...plan }: DrillPlan): string {
  return [
    'holdfast drill',
    `--calm ${calmMs}ms --fault ${faultMs}ms --recovery ${recoveryMs}ms`,
    `--rate ${plan.ratePerSecond} --seed ${plan.seed}`,
    ...(plan.networkFaults ? ['--network-faults'] : []),
    '--html drill.html',
  ].join(' ');
}
