import type { Chart, PageTable } from './page.js';

/** Rows that a page shows of a chart's data at most. */
export const mostChartRows = 1_000;

type Row = Readonly<Record<string, unknown>>;

/** Returns the data of a chart as tables, one for each set of values in its spec, with the axes' titles. */
export function chartTables(chart: Chart): readonly PageTable[] {
  const sets: Row[][] = [];
  const titles = new Map<string, string>();
  visit(chart.spec, (found) => {
    const values = isObject(found.data) ? found.data.values : undefined;
    if (Array.isArray(values))
      sets.push(values.map((value) => (isObject(value) ? value : { value })));
    const { field, title } = found;
    if (typeof field === 'string' && typeof title === 'string') titles.set(field, title);
  });
  return sets.map((rows, index) => {
    const shown = rows.slice(0, mostChartRows);
    const fields = [...new Set(shown.flatMap((row) => Object.keys(row)))];
    const part = sets.length > 1 ? `, part ${index + 1}` : '';
    const some = shown.length < rows.length ? ` (the first ${shown.length} of ${rows.length})` : '';
    return {
      caption: `Data of: ${chart.title}${part}${some}`,
      columns: fields.map((field) => ({
        title: titles.get(field) ?? field,
        isNumber: shown.every((row) => typeof (row[field] ?? 0) === 'number'),
      })),
      rows: shown.map((row) => fields.map((field) => cell(row[field]))),
    };
  });
}

function visit(value: unknown, see: (found: Row) => void): void {
  if (Array.isArray(value)) {
    for (const inner of value) visit(inner, see);
  } else if (isObject(value)) {
    see(value);
    for (const [key, inner] of Object.entries(value)) if (key !== 'values') visit(inner, see);
  }
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'number') return typeof value === 'string' ? value : JSON.stringify(value);
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)));
}

function isObject(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
