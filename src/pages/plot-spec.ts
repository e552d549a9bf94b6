import type { TopLevelSpec } from 'vega-lite';
import type { Chart } from './page.js';
import { plotConfig } from './plot-config.js';
import { visibleText } from './visible-text.js';

/** How large a plot is, and whether its title stands in it. */
export type PlotOptions = {
  readonly widthPx: number;
  readonly hasTitle: boolean;
};

type Json = { readonly [field: string]: unknown };

const composed = ['facet', 'concat', 'hconcat', 'vconcat', 'repeat'];

/** Returns the whole Vega-Lite spec of a chart. Series of lines and points get forms besides their colours. */
export function plotSpec(chart: Chart, { widthPx, hasTitle }: PlotOptions): TopLevelSpec {
  const spec = withVisibleTexts(chart.spec) as Json; // an object, since it maps each object to an object
  return {
    ...sized(withForms(spec), widthPx),
    ...(hasTitle ? { title: visibleText(chart.title) } : {}),
    padding: 4,
    config: plotConfig({ widthPx }),
  } as unknown as TopLevelSpec; // the chart's spec is one, but for the fields that are given here
}

/** A row for each value of a discrete axis, else one height; composed plots take the cells' sizes. */
function sized(spec: Json, widthPx: number): Json {
  const { row, column, facet, y } = fieldsOf(spec.encoding);
  const isComposed = composed.some((key) => key in spec) || row || column || facet;
  if (isComposed) return { autosize: { type: 'pad' }, ...spec };
  const isDiscrete = y !== undefined && ['nominal', 'ordinal'].includes(String(y.type));
  return {
    height: isDiscrete ? { step: 26 } : widthPx < 500 ? 230 : 280,
    ...spec,
    width: widthPx,
    autosize: { type: isDiscrete ? 'fit-x' : 'fit', contains: 'padding' },
  };
}

/** Gives each series of lines a dash and each of points a shape, so that no colour is needed to tell them. */
function withForms(spec: unknown, inherited: Json = {}): Json {
  if (!isObject(spec)) return {};
  const encoding = isObject(spec.encoding) ? spec.encoding : {};
  const seen = { ...inherited, ...encoding };
  const parts = Object.entries(spec).map(([key, value]) => {
    if (Array.isArray(value) && ['layer', 'concat', 'hconcat', 'vconcat'].includes(key)) {
      return [key, value.map((part) => withForms(part, key === 'layer' ? seen : {}))];
    }
    return [key, key === 'spec' ? withForms(value) : value];
  });
  const form = formOf(spec.mark);
  const { color } = seen;
  if (form === undefined || form in seen || !isNominal(color)) return Object.fromEntries(parts);
  return { ...Object.fromEntries(parts), encoding: { ...encoding, [form]: asForm(color, form) } };
}

function formOf(mark: unknown): 'strokeDash' | 'shape' | undefined {
  const type = isObject(mark) ? mark.type : mark;
  if (type === 'line' || type === 'trail') return 'strokeDash';
  return type === 'point' ? 'shape' : undefined;
}

/** The same field in the same order, so that one legend tells both. */
function asForm(color: Json, form: 'strokeDash' | 'shape'): Json {
  const { scale, ...rest } = color;
  const domain = isObject(scale) && scale.domain !== undefined ? { domain: scale.domain } : {};
  return { ...rest, scale: { ...domain, ...(form === 'strokeDash' ? { range: dashes } : {}) } };
}

/** Dashes that stay as dark as a line; the short ones that Vega-Lite would choose fade. */
const dashes = [
  [1, 0],
  [7, 3],
  [2.5, 2.5],
  [12, 3],
  [10, 3, 2.5, 3],
  [4, 4],
  [16, 4, 4, 4],
  [1, 3],
];

function isNominal(channel: unknown): channel is Json {
  return isObject(channel) && 'field' in channel && channel.type === 'nominal';
}

function fieldsOf(encoding: unknown): Readonly<Record<string, Json | undefined>> {
  if (!isObject(encoding)) return {};
  return Object.fromEntries(
    Object.entries(encoding).filter(([, channel]) => isObject(channel)),
  ) as {
    [channel: string]: Json; // filtered to be
  };
}

function withVisibleTexts(value: unknown): unknown {
  if (typeof value === 'string') return visibleText(value);
  if (Array.isArray(value)) return value.map(withVisibleTexts);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withVisibleTexts(inner)]),
  );
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
