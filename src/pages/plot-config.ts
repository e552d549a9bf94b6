import type { Config } from 'vega-lite';
import { pageColours, seriesColours } from './palette.js';

/** Font of the plots as pictures; in a page they take the page's. */
export const plotFont = 'DejaVu Sans';

const ink = pageColours.ink.light;
const muted = pageColours.muted.light;
const line = pageColours.line.light;
const [first = ink] = seriesColours.map(({ light }) => light);

/** Returns how plots look in their light form. Pages turn each colour to its dark form. */
export function plotConfig({ widthPx }: { readonly widthPx: number }): Config {
  const isNarrow = widthPx < 500;
  const cellsWidthPx = isNarrow ? widthPx - 90 : widthPx / 2 - 90;
  const text = { labelColor: muted, titleColor: ink, labelFontSize: 12, titleFontSize: 12 };
  return {
    aria: false,
    font: plotFont,
    background: 'transparent',
    range: { category: seriesColours.map(({ light }) => light) },
    view: { stroke: line, continuousWidth: cellsWidthPx, continuousHeight: 160 },
    facet: { columns: isNarrow ? 1 : 2 },
    concat: { columns: isNarrow ? 1 : 2 },
    axis: {
      ...text,
      titleFontWeight: 'normal',
      titlePadding: 8,
      titleLimit: isNarrow ? 230 : 260,
      gridColor: line,
      domainColor: muted,
      tickColor: muted,
      labelLimit: isNarrow ? 140 : 280,
      labelOverlap: true,
      ...(isNarrow ? { tickCount: 4 } : {}),
    },
    header: { ...text, labelColor: ink },
    legend: {
      ...text,
      labelColor: ink,
      orient: 'top',
      titleLimit: isNarrow ? 240 : 320,
      titleFontWeight: 'normal',
      labelLimit: isNarrow ? 240 : 320,
      symbolStrokeWidth: 2.5,
      symbolSize: 160,
      columns: isNarrow ? 1 : 4,
    },
    title: { color: ink, fontSize: 15, anchor: 'start', offset: 12, limit: widthPx },
    mark: { color: first },
    line: { strokeWidth: 2.5 },
    rule: { color: muted },
    text: { color: ink, fontSize: 12 },
  };
}
