import type { Paint, Style } from './output.js';

/** One column of a table about things of one type. */
export type Column<Item> = {
  readonly title: string;
  /** The cell's text, on one line. */
  readonly text: (item: Item) => string;
  /** Cells that a terminal shows at most; a longer text ends in an ellipsis. */
  readonly most: number;
  readonly style?: (item: Item) => Style;
  /** Figures stand at the right of their column. */
  readonly isNumber?: true;
};

/** How a table is shown. */
export type TableOptions = {
  readonly paint: Paint;
  /** Shows every text whole. */
  readonly isWide: boolean;
};

const gap = '  ';

/** Returns a table, a line for each item, below a line of titles. */
export function renderTable<Item>(
  columns: readonly Column<Item>[],
  items: readonly Item[],
  { paint, isWide }: TableOptions,
): string {
  const cells = columns.map((column) => {
    const texts = items.map(column.text);
    const whole = [column.title, ...texts];
    return isWide ? whole : whole.map((text) => clip(text, column.most));
  });
  const widths = cells.map((texts) => Math.max(...texts.map(displayWidth)));
  const line = (row: number, style: (column: number) => Style | undefined): string =>
    cells
      .map((texts, column) => {
        const text = texts[row] ?? '';
        const isNumber = columns[column]?.isNumber === true;
        const isLast = column === cells.length - 1 && !isNumber;
        const space = ' '.repeat(isLast ? 0 : (widths[column] ?? 0) - displayWidth(text));
        const chosen = style(column);
        const painted = chosen === undefined ? text : paint(chosen, text);
        return isNumber ? space + painted : painted + space;
      })
      .join(gap);
  return [
    line(0, () => 'bold'),
    ...items.map((item, index) => line(index + 1, (column) => columns[column]?.style?.(item))),
  ].join('\n');
}

/** Returns named values, one a line, the names in one column. */
export function renderFacts(facts: readonly (readonly [string, string])[], paint: Paint): string {
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts
    .map(([name, value]) => `${paint('bold', name.padEnd(width))}${gap}${value}`)
    .join('\n');
}

function clip(text: string, most: number): string {
  if (displayWidth(text) <= most) return text;
  let clipped = '';
  for (const character of text) {
    if (displayWidth(clipped + character) >= most) break;
    clipped += character;
  }
  return `${clipped}…`;
}

/** East Asian letters and pictures take two cells of a terminal, marks that join a letter none. */
function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (/\p{Mn}/u.test(character)) continue;
    width += wide.test(character) ? 2 : 1;
  }
  return width;
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
