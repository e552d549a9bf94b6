import type { Page } from 'playwright-core';

/** Returns the text of a page, its frames included (the UI draws Markdown in one), with single blanks. */
export async function textOf(page: Page): Promise<string> {
  const texts = page.frames().map(
    (frame) =>
      frame
        .locator('body')
        // biome-ignore lint/performance/useDomNodeTextContent: textContent runs table cells together.
        .innerText({ timeout: 1_000 })
        .catch(() => ''), // a frame may go while it is read
  );
  return (await Promise.all(texts)).join(' ').replaceAll(/\s+/g, ' ');
}
