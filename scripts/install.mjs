import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, root, run, say } from './child.mjs';

const modules = join(root, 'node_modules');
const stamp = join(modules, '.holdfast-installed');

/** Installs the locked packages with `npm ci` unless they stand there already. */
export async function install() {
  const wanted = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  // a linked folder belongs to another clone: using it is fine, emptying it is not
  if (existsSync(modules) && lstatSync(modules).isSymbolicLink()) {
    return say('node_modules is a link: used as it is');
  }
  if (!matchesLock()) {
    say('Installing packages (npm ci) ...');
    const { code, text } = await run(npm(), ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      output: 'silent',
      input: 'none',
    });
    if (code !== 0) {
      say(text.trim());
      fail(`npm ci ended with code ${code}; ${advice(text)}`);
    }
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
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET|network/i.test(text)) {
    return 'the npm registry could not be reached: connect to the network or set npm\'s "registry" or "proxy", then run this again.';
  }
  if (/ENOENT.*npm|spawn npm/.test(text)) return 'npm is not on the PATH: install Node with npm.';
  if (/EACCES|EPERM/.test(text)) return 'this folder is not writable for you: fix its owner.';
  if (/ENOSPC/.test(text)) return 'the disk is full: make room, then run this again.';
  return 'its own message stands above; after mending it, run this again.';
}
