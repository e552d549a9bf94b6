import { readFileSync } from 'node:fs';
import { projectFile } from './root.js';

/** Returns a handed vector file of JSON, with its "Infinity" texts as numbers. */
export function readVectors<T>(name: string): T {
  const text = readFileSync(projectFile('test', 'vectors', name), 'utf8');
  // The files are part of the project; each test states the shape that it reads.
  return JSON.parse(text, (_key, value: unknown) =>
    value === 'Infinity' ? Number.POSITIVE_INFINITY : value,
  ) as T;
}

/** Returns the input and the expected value of one row of resilience.jsonl. */
export function resilienceRow<T>(id: string): T {
  const lines = readFileSync(projectFile('test', 'vectors', 'resilience.jsonl'), 'utf8').split(
    '\n',
  );
  for (const line of lines) {
    if (line === '') continue;
    // As above: the caller states the shape of the row that it asks for.
    const row = JSON.parse(line) as T & { readonly id: string };
    if (row.id === id) return row;
  }
  throw new Error(`resilience.jsonl has no row ${id}`);
}
