import type { Chart, Page, Section } from '../../../pages/page.js';
import type { Figure, Study } from './figure.js';

/** Returns studies that were run again as a page: each figure beside the published one. */
export function studyPage(studies: readonly Study[], command: string): Page {
  const compared = studies.flatMap(({ figures }) =>
    figures.filter(({ verdict }) => verdict !== 'ours'),
  );
  const apart = compared.filter(({ verdict }) => verdict === 'apart');
  return {
    title: 'Published simulations, run again',
    lead:
      `${compared.length - apart.length} of ${compared.length} published figures come out within 5 % ` +
      'or within the noise of the runs; strategies of holdfast stand beside them on the same models.',
    command,
    sections: studies.map(sectionOf),
  };
}

/** Returns how a figure stands to the published one, in words. */
export function verdictText({ verdict }: Figure): string {
  switch (verdict) {
    case 'within-5-percent':
      return 'within 5 %';
    case 'within-noise':
      return 'within the noise';
    case 'apart':
      return 'apart';
    case 'ours':
      return 'not in the study';
  }
}

/** Returns a number with as many digits as tell something. */
export function digits(value: number): string {
  return Math.abs(value) >= 1_000 ? value.toFixed(0) : String(Number(value.toPrecision(4)));
}

function sectionOf({ title, source, setting, figures }: Study): Section {
  return {
    title,
    blocks: [
      { kind: 'text', text: `${setting} Source: ${source}.` },
      {
        kind: 'table',
        table: {
          caption: 'Means of so many runs, with the deviation of one run.',
          columns: [
            { title: 'figure' },
            { title: 'published', isNumber: true },
            { title: 'here', isNumber: true },
            { title: 'deviation', isNumber: true },
            { title: 'runs', isNumber: true },
            { title: 'comes out' },
          ],
          rows: figures.map((figure) => [
            `${figure.name} (${figure.unit})`,
            figure.published === undefined ? '' : digits(figure.published),
            digits(figure.mean),
            digits(figure.deviation),
            String(figure.runs),
            {
              text: verdictText(figure),
              tone:
                figure.verdict === 'apart' ? 'bad' : figure.verdict === 'ours' ? 'quiet' : 'good',
            },
          ]),
        },
      },
      { kind: 'chart', chart: ratioChart(title, figures) },
    ],
  };
}

/** Each figure as a share of the published one: the units differ, and what counts is how far they are apart. */
function ratioChart(title: string, figures: readonly Figure[]): Chart {
  const values = figures.flatMap(({ name, mean, published }) => {
    if (published === undefined) return [];
    const [setting = '', figure = ''] = name.split(': '); // each name has both
    return [{ setting, figure, ratio: Number((mean / published).toPrecision(4)) }];
  });
  const ratios = values.map(({ ratio }) => ratio);
  return {
    title: `Compared: ${title}`,
    description: `Figures here divided by those published, from ${Math.min(...ratios)} to ${Math.max(...ratios)}; 1 is the same.`,
    spec: {
      data: { values },
      mark: { type: 'point', filled: true, size: 80 },
      height: { step: 48 }, // three lines
      encoding: {
        y: {
          field: 'setting',
          type: 'nominal',
          title: null,
          sort: null,
          axis: { labelExpr: "split(datum.label, ', ')" },
        },
        color: { field: 'figure', type: 'nominal', title: null },
        x: {
          field: 'ratio',
          type: 'quantitative',
          title: 'here / published',
          scale: { zero: false, domain: [Math.min(0.9, ...ratios), Math.max(1.1, ...ratios)] },
        },
      },
    },
  };
}
