import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * Returns the path of a Chromium: CHROMIUM_PATH, else one of its usual names on the PATH. Throws
 * an error that says how to get one.
 */
export async function findChromium(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  if (env.CHROMIUM_PATH) return env.CHROMIUM_PATH;
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    for (const name of names) {
      const candidate = join(folder, name);
      if (folder !== '' && (await isExecutable(candidate))) return candidate;
    }
  }
  throw new Error(
    'This test needs Chromium, and none is on the PATH: install it (Debian: apt-get install ' +
      'chromium, which npm test does as root) or put its path into CHROMIUM_PATH.',
  );
}

/** Starts a headless Chromium that makes no connection of its own; close it in `after`. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: await findChromium(),
    headless: true,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
