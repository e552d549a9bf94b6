/**
 * Returns a text of somebody else's on one line, without what a terminal would obey: control characters
 * and those that turn the direction of writing are shown as `\u{…}`.
 */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
