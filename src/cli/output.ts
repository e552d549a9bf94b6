import { clearLine, cursorTo } from 'node:readline';
import { styleText } from 'node:util';

/** What a text is shown as. */
export type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

/** Gives a text a style, or leaves it as it is where no terminal shows it. */
export type Paint = (style: Style, text: string) => string;

/** Paints where standard output is a terminal and NO_COLOR isn't set. */
export const paint: Paint = (style, text) =>
  process.stdout.isTTY && !process.env.NO_COLOR
    ? styleText(style, text, { validateStream: false })
    : text;

/** Writes text to standard output. */
export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Writes one JSON document to standard output. */
export function sayJson(value: unknown): void {
  say(JSON.stringify(value, null, 2));
}

/** Shows how far a long command is. */
export type Progress = {
  readonly show: (line: string) => void;
  /** Removes what stands on the terminal. */
  readonly end: () => void;
};

/** Milliseconds between two lines where no terminal replaces the earlier one. */
const lineEveryMs = 1_000;

/** Shows progress on standard error: in place on a terminal, else a line a second. */
export function createProgress(): Progress {
  const { stderr } = process;
  const clear = (): void => {
    if (!stderr.isTTY) return;
    clearLine(stderr, 0);
    cursorTo(stderr, 0);
  };
  let shownAt = Number.NEGATIVE_INFINITY;
  return {
    show: (line) => {
      if (stderr.isTTY) {
        clear();
        stderr.write(line.slice(0, (stderr.columns || 80) - 1)); // what wraps isn't cleared
      } else if (performance.now() - shownAt >= lineEveryMs) {
        shownAt = performance.now();
        stderr.write(`${line}\n`);
      }
    },
    end: clear,
  };
}
