/** A colour in its light and its dark form. */
export type Colour = { readonly light: string; readonly dark: string };

/** Colours of the page's parts. Text has a contrast of at least 4.5 to what is behind it (WCAG 2 AA). */
export const pageColours = {
  back: { light: '#ffffff', dark: '#12171d' },
  panel: { light: '#f3f5f8', dark: '#1b222b' },
  ink: { light: '#1b2026', dark: '#e7ecf1' },
  muted: { light: '#525b66', dark: '#a4afbb' },
  line: { light: '#d3d9e0', dark: '#343d48' },
  link: { light: '#0a58a8', dark: '#78b7fa' },
  good: { light: '#116b34', dark: '#5fcf80' },
  bad: { light: '#b0152b', dark: '#ff8e88' },
  warning: { light: '#7c5000', dark: '#e6b450' },
  quiet: { light: '#525b66', dark: '#a4afbb' },
} as const satisfies Readonly<Record<string, Colour>>;

/**
 * Colours of a chart's series, in their order. Each has a contrast of at least 3 to the page; neighbours
 * differ in more than red against green, and lines and points differ in their form as well.
 */
export const seriesColours: readonly Colour[] = [
  { light: '#0067b1', dark: '#5aaef5' },
  { light: '#c24e12', dark: '#f59055' },
  { light: '#0e7f63', dark: '#4cc9a0' },
  { light: '#8a3f9e', dark: '#cf97e4' },
  { light: '#3a414a', dark: '#c6ced7' },
  { light: '#8a6a00', dark: '#d9b83f' },
  { light: '#b52a68', dark: '#f484b4' },
  { light: '#1f86b4', dark: '#83d5f5' },
];
