import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import {
  type IndexName,
  indexAttributes,
  indexNames,
  registeredTypes,
} from '../../contract/search-attributes.js';
import { grpc } from '../grpc-codes.js';
import { type Check, grpcCode, reasonOf } from './check.js';

const check = 'search attributes';
/** The server's names of types begin so in its own listing. */
const TYPE_PREFIX = 'INDEXED_VALUE_TYPE_';
const PROPAGATION_MS = 15_000;

/** Numbers of the types in the server's API. */
const typeNumbers = { KEYWORD: 2, INT: 3, BOOL: 5, KEYWORD_LIST: 7 } as const;

/** What a namespace has of holdfast's attributes. */
type Found = {
  readonly missing: readonly IndexName[];
  /** Those with another type, and which. */
  readonly wrong: readonly { readonly name: IndexName; readonly type: string }[];
};

/** Looks for holdfast's search attributes in a namespace, and registers those that are missing where it may. */
export async function searchAttributeCheck(
  client: Client,
  { namespace, mayFix }: { readonly namespace: string; readonly mayFix: boolean },
): Promise<Check> {
  const found = await lookUp(client, namespace);
  if (found.wrong.length > 0) return wrongTypes(found.wrong);
  if (found.missing.length === 0) return { check, state: 'ok', found: 'all four are registered' };
  if (mayFix) return register(client, namespace, found.missing);
  const isPart = found.missing.length < indexNames.length;
  const advice = isPart
    ? 'Every start with `holdfast({ searchAttributes: true })` is refused: `holdfast doctor --fix` registers what is missing.'
    : "The UI's filter finds no degraded or exhausted runs: `holdfast doctor --fix` registers what is missing.";
  const state = isPart ? 'fault' : 'warning';
  return { check, state, found: `missing: ${found.missing.join(', ')}`, advice };
}

async function lookUp(client: Client, namespace: string): Promise<Found> {
  try {
    const { operatorService } = client.connection as Connected; // withClient connected it
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
    const types = new Map(
      Object.entries(customAttributes ?? {}).map(([name, type]) => [name, typeText(type)]),
    );
    return {
      missing: indexNames.filter((name) => !types.has(name)),
      wrong: indexNames.flatMap((name) => {
        const type = types.get(name);
        return type === undefined || type === indexAttributes[name].type ? [] : [{ name, type }];
      }),
    };
  } catch (error) {
    if (!isWithoutRights(error)) throw error;
    return byQueries(client, namespace);
  }
}

type Connected = import('@temporalio/client').Connection;

function typeText(type: unknown): string {
  const number = Object.entries(typeNumbers).find(([, value]) => value === type)?.[0];
  return number ?? String(type).replace(TYPE_PREFIX, '');
}

/** Whoever may only read can still ask for runs by an attribute, which is refused where there is none. */
async function byQueries({ workflowService }: Client, namespace: string): Promise<Found> {
  const missing: IndexName[] = [];
  for (const name of indexNames) {
    try {
      await workflowService.countWorkflowExecutions({ namespace, query: `${name} IS NOT NULL` });
    } catch (error) {
      if (!reasonOf(error).includes(name)) throw error;
      missing.push(name);
    }
  }
  return { missing, wrong: [] };
}

async function register(
  client: Client,
  namespace: string,
  names: readonly IndexName[],
): Promise<Check> {
  const types = names.map((name) => [name, typeNumbers[indexAttributes[name].type]]);
  try {
    const { operatorService } = client.connection as Connected; // as above
    await operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(types),
    });
  } catch (error) {
    return notRegistered(error, namespace, names);
  }
  if (!(await areServed(client, namespace))) {
    const found = `registered ${names.join(', ')}, which the server doesn't take yet`;
    return { check, state: 'warning', found, advice: 'Look again in a minute.' };
  }
  return { check, state: 'ok', found: `registered ${names.join(', ')}` };
}

/** A server of several parts hears of a new attribute a little later. */
async function areServed(client: Client, namespace: string): Promise<boolean> {
  const giveUpAt = performance.now() + PROPAGATION_MS;
  while (performance.now() < giveUpAt) {
    if ((await byQueries(client, namespace)).missing.length === 0) return true;
    await sleep(200);
  }
  return false;
}

function notRegistered(error: unknown, namespace: string, names: readonly IndexName[]): Check {
  if (!isWithoutRights(error)) {
    const advice = 'An SQL store of visibility has room for few attributes of a type: remove one.';
    const found = `missing, and refused by the server: ${reasonOf(error)}`;
    return { check, state: 'fault', found, advice };
  }
  const types = registeredTypes();
  const pairs = names.map((name) => `--name ${name} --type ${types[name]}`).join(' ');
  const advice = `Let an operator run: temporal operator search-attribute create --namespace ${namespace} ${pairs}`;
  const found = `missing: ${names.join(', ')}; you may not register them`;
  return { check, state: 'fault', found, advice };
}

function wrongTypes(wrong: Found['wrong']): Check {
  const found = wrong
    .map(
      ({ name, type }) => `${name} is registered as ${type}, not as ${indexAttributes[name].type}`,
    )
    .join('; ');
  const advice =
    'Somebody else uses these names: start runs without `searchAttributes`, or in another namespace. ' +
    'Nothing was changed.';
  return { check, state: 'fault', found, advice };
}

function isWithoutRights(error: unknown): boolean {
  const code = grpcCode(error);
  return code === grpc.permissionDenied || code === grpc.unimplemented;
}
