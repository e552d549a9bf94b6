import type { RunState } from '../contract/run-state.js';
import type { RunOutcome } from '../contract/search-attributes.js';

const NAMES_SHOWN = 5;
const NAME_LENGTH = 100;

/** Says in plain words how a run stands, or how it ended. */
export function memoText(state: RunState | undefined, outcome: RunOutcome): string {
  const sentences = [outcome === 'running' ? 'Running.' : `Ended: ${outcome}.`];
  if (state !== undefined) sentences.push(...callText(state), ...standInText(state));
  if (state !== undefined) sentences.push(...retryText(state), ...breakerText(state));
  return sentences.join(' ');
}

/** Counts of a call's undoing are its own and aren't told. */
function callText({ counts }: RunState): string[] {
  const kinds = Object.entries(counts).filter(([, count]) => count > 0);
  if (kinds.length === 0) return [];
  const calls = kinds.reduce((sum, [, count]) => sum + count, 0);
  const each = kinds.map(([kind, count]) => `${count} ${kind}`).join(', ');
  return [`${counted(calls, 'call', 'calls')}: ${each}.`];
}

function standInText({ aiFallback = {} }: RunState): string[] {
  const names = Object.entries(aiFallback).flatMap(([tool, ways]) =>
    Object.keys(ways).map((to) =>
      to === 'disabled' ? `nothing for ${named(tool)}` : `${named(to)} for ${named(tool)}`,
    ),
  );
  return names.length === 0 ? [] : [`Stood in: ${listed(names)}.`];
}

function retryText({ retries }: RunState): string[] {
  return retries === 0 ? [] : [`${counted(retries, 'retry', 'retries')} used.`];
}

function breakerText({ breakers }: RunState): string[] {
  const open = Object.keys(breakers).filter((name) => breakers[name]?.kind !== 'closed');
  return open.length === 0 ? [] : [`Breaker open: ${listed(open.map(named))}.`];
}

function listed(names: readonly string[]): string {
  const unseen = names.length - NAMES_SHOWN;
  const shown = names.slice(0, NAMES_SHOWN).join(', ');
  return unseen > 0 ? `${shown} and ${unseen} more` : shown;
}

function named(name: string): string {
  return name.slice(0, NAME_LENGTH);
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
