import type { FileHandle } from 'node:fs/promises';
import type { FilePlace } from '../contract/batch.js';

/** A line of a file: where it begins, how many bytes it has, and its text or why it has none. */
export type FileLine = {
  readonly at: FilePlace;
  readonly length: number;
  readonly text:
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'is too long' | 'is not UTF-8' };
};

/** A line with more bytes is no item: as an argument a workflow server would refuse it. */
const LONGEST_LINE = 1_000_000;
const CHUNK = 65_536;
const NEWLINE = 0x0a;

/** Reads a file's lines from a place on. No more than one line and one chunk are held at a time. */
export async function* fileLines(handle: FileHandle, from: FilePlace): AsyncGenerator<FileLine> {
  let at = from;
  let parts: Buffer[] = [];
  let length = 0;
  const keep = (part: Buffer): void => {
    length += part.length;
    if (length > LONGEST_LINE) parts = [];
    else parts.push(part);
  };
  for (let offset = from.offset; ; ) {
    // A buffer of its own each time: the parts of a line outlive the reading of the next ones.
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(CHUNK), 0, CHUNK, offset);
    if (bytesRead === 0) break;
    offset += bytesRead;
    let rest = buffer.subarray(0, bytesRead);
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      keep(rest.subarray(0, end));
      yield { at, length, text: textOf(parts, length) };
      at = { offset: at.offset + length + 1, line: at.line + 1 };
      parts = [];
      length = 0;
      rest = rest.subarray(end + 1);
    }
    keep(rest);
  }
  if (length > 0) yield { at, length, text: textOf(parts, length) };
}

function textOf(parts: readonly Buffer[], length: number): FileLine['text'] {
  if (length > LONGEST_LINE) return { kind: 'is too long' };
  try {
    // A mark of the byte order at the file's beginning is no text: the decoder leaves it out.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
    return { kind: 'text', text };
  } catch {
    return { kind: 'is not UTF-8' };
  }
}
