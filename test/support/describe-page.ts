import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { findChromium, launchChromium } from './chromium.js';
import { findPageFaults, type PageFaults } from './page-faults.js';

const missing = await findChromium().then(
  () => undefined,
  (error: Error) => error.message,
);

/** Checks that a page stands alone and can be read by everybody. Each page that a command writes passes. */
export function describePage(name: string, makeHtml: () => Promise<string>): void {
  describe(`${name} in Chromium`, { skip: missing ?? false }, () => {
    let browser: Browser;
    let faults: PageFaults;

    before(async () => {
      browser = await launchChromium();
      faults = await findPageFaults(browser, await makeHtml());
    });
    after(() => browser?.close());

    it('has no error of a script or of the console', () => {
      assert.deepEqual(faults.errors, []);
    });

    it('asks nothing of any network', () => {
      assert.deepEqual(faults.requests, []);
    });

    it('fits 1280 and 400 pixels without scrolling sideways', () => {
      assert.deepEqual(faults.sideways, []);
    });

    it('passes axe (WCAG 2 A and AA) wide and narrow, light and dark', () => {
      assert.deepEqual(faults.access, []);
    });

    it('is reached by the Tab key as a whole, and shows the focus', () => {
      assert.deepEqual(faults.keyboard, []);
    });
  });
}
