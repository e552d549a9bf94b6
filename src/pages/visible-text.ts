/**
 * Returns a text without what a reader can't see: control characters other than line breaks and tabs,
 * those that turn the direction of writing, and halves of characters are shown as `\u{…}`.
 */
export function visibleText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(/[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{fffe}\u{ffff}]/gu, (character) => {
      return `\\u{${character.codePointAt(0)?.toString(16)}}`;
    });
}

/** Returns a text as HTML that shows it, in an element or in an attribute. */
export function escapeHtml(text: string): string {
  return visibleText(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
