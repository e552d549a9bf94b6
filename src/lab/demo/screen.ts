import { clearLine, cursorTo } from 'node:readline';
import type { WriteStream } from 'node:tty';

/** Where progress is shown. */
export type Screen = {
  /** Whether status lines are seen. */
  readonly isLive: boolean;
  readonly say: (line: string) => void;
  /** Shows a line that the next one replaces; nothing where there is no terminal. */
  readonly status: (line: string) => void;
};

/** Makes a screen on standard output or standard error. */
export function createScreen(stream: WriteStream): Screen {
  const width = (): number => (stream.columns || 80) - 1;
  const clear = (): void => {
    if (!stream.isTTY) return;
    clearLine(stream, 0);
    cursorTo(stream, 0);
  };
  return {
    isLive: stream.isTTY === true,
    say(line) {
      clear();
      stream.write(`${line}\n`);
    },
    status(line) {
      if (!stream.isTTY) return;
      clear();
      stream.write(line.slice(0, width()));
    },
  };
}
