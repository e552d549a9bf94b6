import { utf8ToBytes } from '@noble/hashes/utils.js';
import { isPlainObject } from './json.js';

/** What the UI shows of a run from its start: one line, and Markdown. */
export type StartNotes = { readonly staticSummary: string; readonly staticDetails: string };

/** The server takes 400 and 20,000 bytes by default. */
const SUMMARY_BYTES = 200;
const DETAIL_BYTES = 8_000;
const CELL_BYTES = 100;

/** Says what a task is for: its steps, for whom, and until when; undefined for what is no task. */
export function taskNotes(task: unknown): StartNotes | undefined {
  if (!isPlainObject(task) || !Array.isArray(task.steps)) return undefined;
  const steps = task.steps.filter(isPlainObject);
  const [first] = steps;
  if (first === undefined) return undefined;
  const chain = steps.map(({ tool }) => text(tool)).join(' → ');
  const count = steps.length === 1 ? '1 step' : `${steps.length} steps`;
  const rows = steps.map(
    ({ id, tool, required, fallback }) =>
      `| ${cell(id)} | ${cell(tool)} | ${required === false ? 'no' : 'yes'} | ${standIns(fallback)} |`,
  );
  return {
    staticSummary: clipped(`${count}: ${chain}`, SUMMARY_BYTES),
    staticDetails: clipped(
      [
        ...facts(task),
        '| step | tool | required | if it fails |',
        '| :--- | :--- | :--- | :--- |',
        ...rows,
      ].join('\n'),
      DETAIL_BYTES,
    ),
  };
}

/** Says what a loop is asked; undefined for what is no loop's task. */
export function loopNotes(task: unknown): StartNotes | undefined {
  if (!isPlainObject(task)) return undefined;
  const { prompt, messages } = task;
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  const asked = prompt ?? (isPlainObject(last) ? last.content : undefined);
  if (typeof asked !== 'string' || asked.trim() === '') return undefined;
  return {
    staticSummary: clipped(text(asked), SUMMARY_BYTES),
    staticDetails: clipped([...facts(task), asked].join('\n'), DETAIL_BYTES),
  };
}

function facts({ tenant, deadlineMs, continuesBudgetOf }: Record<string, unknown>): string[] {
  const said = [
    ...(typeof tenant === 'string' ? [`For ${text(tenant)}.`] : []),
    ...(typeof deadlineMs === 'number' ? [`It has ${deadlineMs / 1_000} s.`] : []),
    ...(typeof continuesBudgetOf === 'string'
      ? [`It goes on with the budget of ${text(continuesBudgetOf)}.`]
      : []),
  ];
  return said.length === 0 ? [] : [said.join(' '), ''];
}

function standIns(fallback: unknown): string {
  const ways = (Array.isArray(fallback) ? fallback : [fallback]).filter(isPlainObject);
  const names = ways.map((way) => ('tool' in way ? cell(way.tool) : (Object.keys(way)[0] ?? '')));
  return names.join(', then ');
}

function cell(value: unknown): string {
  return clipped(text(value).replaceAll('|', '\\|'), CELL_BYTES);
}

/** Returns a text on one line. */
function text(value: unknown): string {
  return String(value).replaceAll(/\s+/g, ' ').trim();
}

/** Returns the beginning of a text that fits into so many bytes, and says where something was cut off. */
function clipped(whole: string, mostBytes: number): string {
  if (utf8ToBytes(whole).length <= mostBytes) return whole;
  let kept = '';
  let bytes = utf8ToBytes('…').length;
  for (const character of whole) {
    bytes += utf8ToBytes(character).length;
    if (bytes > mostBytes) break;
    kept += character;
  }
  return `${kept}…`;
}
