import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { Check } from './check.js';

const packages = ['activity', 'client', 'common', 'plugin', 'proto', 'worker', 'workflow'].map(
  (name) => `@temporalio/${name}`,
);
const leastNode = [20, 19] as const;

/** A package as one place sees it. */
type Seen = { readonly name: string; readonly version: string; readonly path: string };

/** Looks at what this process runs on, and what a program in `folder` would load. */
export function versionChecks(folder: string): readonly Check[] {
  const seen = [
    ...seenFrom(fileURLToPath(import.meta.url)),
    ...seenFrom(join(folder, 'package.json')),
  ];
  return [nodeCheck(process.versions.node), sdkCheck(seen), historyCheck()];
}

function nodeCheck(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor, leastMinor] = leastNode;
  const isNew = major > leastMajor || (major === leastMajor && minor >= leastMinor);
  const found = `Node ${version}`;
  if (isNew) return { check: 'node', state: 'ok', found };
  const advice = `holdfast needs Node ${leastMajor}.${leastMinor} or newer.`;
  return { check: 'node', state: 'fault', found, advice };
}

/** Returns what is wrong with Temporal's packages: all are of one version, and there is one copy of each. */
export function sdkCheck(seen: readonly Seen[]): Check {
  const check = 'sdk';
  const versions = [...new Set(seen.map(({ version }) => version))];
  const names = [...new Set(seen.map(({ name }) => name))];
  if (versions.length > 1) {
    const each = [...new Set(seen.map(({ name, version }) => `${name} ${version}`))].join(', ');
    const advice =
      "Temporal's packages only work together in one version: install the same of all.";
    return { check, state: 'fault', found: each, advice };
  }
  const twice = names.filter(
    (name) => new Set(seen.filter((one) => one.name === name).map(({ path }) => path)).size > 1,
  );
  if (twice.length > 0) {
    const advice = 'Two copies know nothing of one another: run `npm dedupe`.';
    return { check, state: 'warning', found: `two copies of ${twice.join(', ')}`, advice };
  }
  return { check, state: 'ok', found: `Temporal's packages are all ${versions.join()}` };
}

/** The SDK makes JSON of histories by a copy of protobufjs that npm may have hidden from it. */
function historyCheck(): Check {
  const check = 'protobufjs';
  try {
    historyToJSON({ events: [] });
    return { check, state: 'ok', found: 'histories can be read and written as JSON' };
  } catch (error) {
    const found = `histories can't be written as JSON: ${String(error)}`;
    const advice = 'Put protobufjs 8 at the top of node_modules: `npm install protobufjs@8`.';
    return { check, state: 'fault', found, advice };
  }
}

function seenFrom(file: string): readonly Seen[] {
  const require = createRequire(file);
  return packages.flatMap((name) => {
    try {
      const path = realpathSync(require.resolve(`${name}/package.json`));
      const { version } = JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string }; // npm's own
      return [{ name, version, path: dirname(path) }];
    } catch {
      return []; // a place that has no such package loads none
    }
  });
}
