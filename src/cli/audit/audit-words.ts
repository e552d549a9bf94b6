import type { Severity } from '../../history/audit/finding.js';
import { shellWord } from '../shell-word.js';

/** What the command line says of an audit. */
export type AuditCommandOptions = {
  readonly address?: string;
  readonly namespace?: string;
  readonly query: string;
  readonly histories?: string;
  readonly limit?: number;
  readonly state?: string;
  readonly writes: readonly string[];
  readonly cost: ReadonlyMap<string, number>;
  readonly threshold: number;
  readonly chain?: string;
  readonly nodes?: string;
  readonly html?: string;
  readonly failOn?: Severity;
  readonly wide?: true;
  readonly json?: true;
};

/** Returns the command that reads the same runs and makes the same page again. */
export function auditWords(options: AuditCommandOptions): string {
  const { address, namespace, query, histories, limit, state, writes, cost, threshold } = options;
  const { chain, html } = options;
  const words: readonly (readonly [string, string | number | undefined])[] = [
    ['--address', address],
    ['--namespace', namespace],
    ['--query', query === '' ? undefined : query],
    ['--histories', histories],
    ['--limit', limit],
    ['--state', state],
    ['--writes', writes.length === 0 ? undefined : writes.join(',')],
    ...[...cost].map(([type, micros]) => ['--cost', `${type}=${micros}`] as const),
    ['--threshold', threshold === defaultThreshold ? undefined : threshold],
    ['--chain', chain],
    ['--html', html],
  ];
  const said = words.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${shellWord(String(value))}`],
  );
  return ['holdfast audit', ...said].join(' ');
}

/** Failures in a row that should open a breaker, where nobody says it. */
export const defaultThreshold = 3;
