import type { Paint, Style } from '../output.js';
import { printable } from '../printable.js';
import type { Replayed } from './replay-histories.js';

const styles: Readonly<Record<Replayed['kind'], Style>> = {
  fits: 'green',
  differs: 'red',
  'state-differs': 'red',
  unreadable: 'red',
};

/** Returns what came of each replay, a line each, and below it what is wrong. */
export function renderReplayed(replayed: readonly Replayed[], paint: Paint): string {
  const lines = replayed.flatMap(({ name, events, kind, message }) => [
    `${paint(styles[kind], kind.replaceAll('-', ' ').padEnd(13))}  ${printable(name)}, ${events} events`,
    ...(message === null
      ? []
      : [
          `${' '.repeat(15)}${message
            .split('\n')
            .map(printable)
            .join(`\n${' '.repeat(15)}`)}`,
        ]),
  ]);
  const fits = replayed.filter(({ kind }) => kind === 'fits').length;
  return [...lines, `${fits} of ${replayed.length} fit.`].join('\n');
}
