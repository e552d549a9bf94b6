import type { SideId } from '../../lab/drill/drill-records.js';
import type { DrillResult, SideResult } from '../../lab/drill/drill-result.js';
import { drillRows, sideTitles } from '../../lab/drill/drill-rows.js';
import type { Verdict } from '../../lab/drill/verdicts.js';
import type { Paint, Style } from '../output.js';
import { renderTable } from '../table.js';

const styles: Readonly<Record<Verdict['kind'], Style>> = {
  pass: 'green',
  fail: 'red',
  unjudged: 'yellow',
};

/** Returns a drill's figures side by side and its verdicts, for a terminal. */
export function renderDrill(result: DrillResult, paint: Paint): string {
  const { plan, passed, sides } = result;
  const seconds = [plan.calmMs, plan.faultMs, plan.recoveryMs].map((ms) => `${ms / 1_000} s`);
  const what =
    `${plan.ratePerSecond} tickets a second at each side; ${seconds[0]} calm, ${seconds[1]} fault, ` +
    `${seconds[2]} recovery; seed ${plan.seed}${plan.networkFaults ? '; faults by Toxiproxy' : ''}`;
  const figures = renderTable(
    [
      { title: '', most: 44, text: ({ name }) => name },
      ...sides.map((side, index) => ({
        title: sideTitles[side.id],
        most: 24,
        text: ({ values }: { readonly values: readonly string[] }) => values[index] ?? '',
      })),
    ],
    drillRows(sides),
    { paint, isWide: false },
  );
  const own = sides.find(({ id }) => id === 'holdfast')?.verdicts ?? [];
  const unjudged = own.filter(({ kind }) => kind === 'unjudged').length;
  const said = passed ? paint('green', 'passes') : paint('red', 'fails');
  const rest = unjudged === 0 ? '' : `; ${unjudged} of ${own.length} bounds could not be judged`;
  return [
    what,
    '',
    figures,
    ...sides.map((side) => renderVerdicts(side, paint)),
    '',
    `holdfast ${said}${rest}.`,
  ].join('\n');
}

function renderVerdicts({ id, verdicts }: SideResult, paint: Paint): string {
  const lines = verdicts.map(
    ({ name, kind, figure }) =>
      `  ${paint(styles[kind], kind.padEnd(8))}  ${name.padEnd(25)}  ${figure}`,
  );
  return [`\n${paint('bold', titles[id])}`, ...lines].join('\n');
}

const titles: Readonly<Record<SideId, string>> = {
  holdfast: 'With holdfast',
  plain: "Without it, by Temporal's default retry policy",
};
