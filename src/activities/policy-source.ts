import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Fault, InvalidRequestError } from '../budget/errors.js';
import { rules } from '../budget/rules.js';
import { isPlainObject } from '../contract/json.js';
import type { PolicyInput } from '../contract/policy.js';

/** Where a worker finds policies by their names: a folder, a database, a service. */
export interface PolicySource {
  /**
   * Returns the policy of a name, with its `version`.
   * @throws InvalidRequestError where there is none; whatever else it throws is tried again
   */
  load(name: string): Promise<PolicyInput>;
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Returns a source that reads `<folder>/<name>.json`; each file has to say its version. */
export function policyFiles(folder: string): PolicySource {
  return {
    async load(name) {
      if (!NAME.test(name)) throwFault({ rule: `must match ${NAME.source}`, value: name });
      const policy = parsed(name, await textOf(folder, name));
      if (!isPlainObject(policy) || !rules.text.holds(policy.version)) {
        const rule = `must name a file with a policy that has a version`;
        throwFault({ rule, value: `${name}.json` });
      }
      return policy as PolicyInput; // whoever loads it checks it
    },
  };
}

async function textOf(folder: string, name: string): Promise<string> {
  try {
    return await readFile(join(folder, `${name}.json`), 'utf8');
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOENT') throw error;
    return throwFault({ rule: "must name a file of the worker's policies", value: `${name}.json` });
  }
}

function parsed(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return throwFault({ rule: 'must name a file that holds JSON', value: `${name}.json` });
  }
}

function throwFault(fault: Omit<Fault, 'field'>): never {
  throw new InvalidRequestError([{ field: 'policyFrom', ...fault }]);
}
