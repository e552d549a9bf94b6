import type { BenchResult, Check, Measure } from './result.js';

/** Returns a benchmark as text: a table of figures, the bounds, and what the figures mean. */
export function renderResult(result: BenchResult): string {
  const head = ['', 'median', 'quartiles', 'rounds'];
  return [
    `(${result.id}) ${result.title}`,
    ...table([head, ...result.measures.map(measureCells)]),
    ...result.checks.map(checkLine),
    ...result.notes.map((note) => `  ${note}`),
    '',
  ].join('\n');
}

function measureCells({ name, unit, median, low, high, rounds }: Measure): string[] {
  return [name, `${figure(median)} ${unit}`, `${figure(low)} - ${figure(high)}`, String(rounds)];
}

function checkLine({ name, value, rule, limit, holds }: Check): string {
  return `  ${holds ? 'holds ' : 'MISSED'}  ${name}: ${figure(value)}, bound: ${rule} ${limit}`;
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('   ')}`.trimEnd(),
  );
}

function figure(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value) || Math.abs(value) >= 1_000) return String(Math.round(value));
  return value.toPrecision(value >= 1 && value < 10 ? 3 : 4);
}
