import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, root, run, say, saying } from './child.mjs';

const modules = join(root, 'node_modules');
const stamp = join(modules, '.holdfast-installed');

// npm's own waits between tries add up to more than a minute before it gives up without a network
const quickRetries = ['--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];
const npmArguments = ['ci', '--no-audit', '--no-fund', '--loglevel=error', ...quickRetries];

/** Installs the locked packages with `npm ci` unless they stand there already. */
export async function install() {
  const wanted = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  // a linked folder belongs to another clone: using it is fine, emptying it is not
  if (existsSync(modules) && lstatSync(modules).isSymbolicLink()) {
    return say('node_modules is a link: used as it is');
  }
  if (!matchesLock()) {
    const { code, text } = await saying('Installing packages (npm ci)', () =>
      run(npm(), npmArguments, { output: 'silent', input: 'none' }),
    );
    if (code !== 0) fail(`the packages could not be installed: ${advice(text)}`);
  }
  writeFileSync(stamp, wanted);
}

/** What an installation depends on: the lock, and the platform that native modules were built for. */
function fingerprint() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  return `${createHash('sha256').update(lock).digest('hex')} ${process.platform}-${process.arch}-${process.versions.modules}\n`;
}

/** Whether npm's own record of node_modules names every version of the lock. */
function matchesLock() {
  const record = join(modules, '.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(locked).every(
    ([path, { version, optional }]) =>
      path === '' || optional === true || installed[path]?.version === version,
  );
}

function npm() {
  return process.platform === 'win32' ? 'npm.cmd' : 'npm';
}

function advice(text) {
  const code =
    text
      .match(/code (E[A-Z]+)|spawn \S+ (ENOENT)/)
      ?.slice(1)
      .find(Boolean) ?? '';
  if (['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ETIMEDOUT', 'ECONNRESET'].includes(code)) {
    return `the npm registry gives no answer (${code}); connect to the network, or set npm's registry or proxy, and run this again.`;
  }
  if (code === 'ENOENT') return 'npm is not on the PATH; install Node together with npm.';
  if (code === 'EACCES' || code === 'EPERM') {
    return `this folder can't be written (${code}); make yourself its owner and run this again.`;
  }
  if (code === 'ENOSPC') return 'the disk is full; make room and run this again.';
  say(text.trim());
  return "npm's own words stand above; run this again when that is mended.";
}
