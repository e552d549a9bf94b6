import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run, say } from './child.mjs';

/** Whether one of the names is a program on the PATH, or in one of the other folders. */
export function onPath(names, others = []) {
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return [...path, ...others].some((folder) =>
    names.some((name) => existsSync(join(folder, name))),
  );
}

const systemdFolder = '/run/systemd/system'; // there while systemd runs the machine

/** Installs a Debian package for the tests where this user may; elsewhere, and when it fails, the
 * tests that need it say what is missing. The tests run the program themselves: a service that the
 * package enables and starts is stopped again. */
export async function ensureDebianPackage({ name, programs, folders = [], service }) {
  if (onPath(programs, folders)) return;
  if (process.getuid?.() !== 0 || !onPath(['apt-get'])) {
    return say(`${name} is not here and can't be installed by this user: its tests will say so.`);
  }
  say(`Installing ${name} (apt-get) for the tests ...`);
  const quiet = { output: 'silent', input: 'none', env: { DEBIAN_FRONTEND: 'noninteractive' } };
  await run('apt-get', ['update', '-q'], quiet);
  const args = ['install', '-y', '-q', '--no-install-recommends', name];
  const { code, text } = await run('apt-get', args, quiet);
  if (code !== 0) say(`apt-get install ${name} failed: ${text.trim().split('\n').at(-1)}`);
  if (service === undefined || !existsSync(systemdFolder)) return;
  await run('systemctl', ['disable', '--now', service], quiet);
}
