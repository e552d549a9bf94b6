import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';

/** What is wrong with a page, one line a fault, by what a reader would miss. */
export type PageFaults = {
  /** Errors of scripts and of the console. */
  readonly errors: readonly string[];
  /** What the page asked of anything but its own file. */
  readonly requests: readonly string[];
  /** Sizes at which the page scrolls sideways as a whole. */
  readonly sideways: readonly string[];
  /** What axe finds against WCAG 2 A and AA, contrast included. */
  readonly access: readonly string[];
  /** What can't be reached by the Tab key, or doesn't show that it has the focus. */
  readonly keyboard: readonly string[];
};

const sizes = [
  { width: 1280, height: 900 },
  { width: 400, height: 800 },
] as const;
const schemes = ['light', 'dark'] as const;
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const focusable = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';

/** Opens HTML from a file of its own, narrow and wide, light and dark, and returns what is wrong with it. */
export async function findPageFaults(browser: Browser, html: string): Promise<PageFaults> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-page-'));
  const context = await browser.newContext();
  try {
    const file = join(folder, 'page.html');
    await writeFile(file, html);
    const page = await context.newPage();
    const { errors, requests } = listen(page, pathToFileURL(file).href);
    await context.route('**/*', (route) =>
      route.request().url().startsWith('file:') ? route.continue() : route.abort(),
    );
    await page.goto(pathToFileURL(file).href);
    const keyboard = await findKeyboardFaults(page);
    await page.evaluate(openWhatIsFolded);
    const sideways: string[] = [];
    const access: string[] = [];
    await page.evaluate(axe.source);
    for (const size of sizes) {
      await page.setViewportSize(size);
      const widthPx = await page.evaluate('document.documentElement.scrollWidth');
      if (Number(widthPx) > size.width) sideways.push(`${widthPx} px wide at ${size.width} px`);
      for (const colorScheme of schemes) {
        await page.emulateMedia({ colorScheme });
        const found = await findAccessFaults(page);
        access.push(...found.map((fault) => `${size.width} px, ${colorScheme}: ${fault}`));
      }
    }
    return { errors, requests, sideways, access, keyboard };
  } finally {
    await context.close();
    await rm(folder, { recursive: true });
  }
}

function listen(page: Page, own: string): { errors: string[]; requests: string[] } {
  const errors: string[] = [];
  const requests: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('request', (request) => {
    const url = request.url();
    if (url !== own && !url.startsWith('data:')) requests.push(url);
  });
  return { errors, requests };
}

/** What a page's script may do is the page's: these run in it as texts, which its policy doesn't stop. */
const openWhatIsFolded = `
  for (const folded of document.querySelectorAll('details')) folded.open = true;
  document.querySelector('.bar[tabindex]')?.focus(); // its words are shown, so that their contrast counts
`;

const countFocused = `
  globalThis.focused = new Map();
  document.addEventListener('focusin', ({ target }) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(target);
    focused.set(target, outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1);
  });
`;

const visibleOnes = `[...document.querySelectorAll('${focusable}')].filter((one) => one.checkVisibility())`;

async function findKeyboardFaults(page: Page): Promise<string[]> {
  await page.evaluate(countFocused);
  const count = Number(await page.evaluate(`${visibleOnes}.length`));
  for (let pressed = 0; pressed < count; pressed += 1) await page.keyboard.press('Tab');
  return await page.evaluate<string[]>(`
    ${visibleOnes}.flatMap((one) => {
      const name = one.outerHTML.slice(0, 120);
      if (!focused.has(one)) return ['can not be reached: ' + name];
      return focused.get(one) ? [] : ['does not show its focus: ' + name];
    })
  `);
}

async function findAccessFaults(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(`
    axe.run({ runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] }).then(({ violations }) =>
      violations.flatMap(({ id, help, nodes }) =>
        nodes.map(({ html }) => id + ' (' + help + '): ' + html.slice(0, 160)),
      ),
    )
  `);
}
