/** One line of a plot: its mark, and where it goes. Points of a figure that isn't finite are left out. */
export type PlotSeries = {
  /** One letter. */
  readonly mark: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
};

/** What a plot shows. */
export type PlotOptions = {
  readonly title: string;
  readonly series: readonly PlotSeries[];
  /** What stands below the axis. */
  readonly xTitle: string;
  readonly yText: (y: number) => string;
};

const WIDTH = 60;
const HEIGHT = 8;
/** Where two series have the same point. */
const SHARED = '*';

/** Returns a plot of letters, for a terminal without colours: a row of 60 cells for each of 8 heights. */
export function renderTextPlot({ title, series, xTitle, yText }: PlotOptions): string {
  const drawn = series.map(({ mark, points }) => ({
    mark,
    points: points.filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y)),
  }));
  const all = drawn.flatMap(({ points }) => points);
  if (all.length === 0) return `${title}: there is nothing to show`;
  const x = rangeOf(all.map((point) => point.x));
  const y = rangeOf(all.map((point) => point.y));
  const cells = Array.from({ length: HEIGHT }, () => new Array<string>(WIDTH).fill(' '));
  for (const { mark, points } of drawn) {
    for (const point of points) {
      const row = cells[HEIGHT - 1 - placeOf(point.y, y, HEIGHT)] ?? [];
      const column = placeOf(point.x, x, WIDTH);
      const there = row[column];
      row[column] = there === ' ' || there === mark ? mark : SHARED;
    }
  }
  const [top, bottom] = [yText(y.most), yText(y.least)];
  const margin = Math.max(top.length, bottom.length);
  const label = (row: number): string => (row === 0 ? top : row === HEIGHT - 1 ? bottom : '');
  const [left, right] = [String(x.least), String(x.most)];
  const middle = xTitle.padStart(Math.floor((WIDTH - left.length + xTitle.length) / 2));
  return [
    title,
    ...cells.map((row, index) => `${label(index).padStart(margin)} |${row.join('').trimEnd()}`),
    `${' '.repeat(margin)} +${'-'.repeat(WIDTH)}`,
    `${' '.repeat(margin + 2)}${left}${middle.padEnd(WIDTH - left.length - right.length)}${right}`,
  ].join('\n');
}

type Range = { readonly least: number; readonly most: number };

function rangeOf(values: readonly number[]): Range {
  return values.reduce<Range>(
    ({ least, most }, value) => ({ least: Math.min(least, value), most: Math.max(most, value) }),
    { least: Number.POSITIVE_INFINITY, most: Number.NEGATIVE_INFINITY },
  );
}

/** Returns the cell of a value among so many; the first one where all values are the same. */
function placeOf(value: number, { least, most }: Range, cells: number): number {
  return most === least ? 0 : Math.round(((value - least) / (most - least)) * (cells - 1));
}
