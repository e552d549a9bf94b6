import type { Client } from '@temporalio/client';
import { grpc } from '../grpc-codes.js';
import { type Check, grpcCode, moreRights, reasonOf } from './check.js';
import { retryLayersCheck } from './retry-layers.js';
import { searchAttributeCheck } from './search-attributes.js';
import { namespaceChecks, serverCheck } from './server-checks.js';
import { fleetCheck, ledgerCheck } from './store-checks.js';
import { timerCheck, unprobed } from './timer-probe.js';
import { versionChecks } from './version-checks.js';

/** What the doctor is to look at, as its options say. */
export type DoctorOptions = {
  readonly address?: string;
  readonly namespace?: string;
  readonly ledger?: string;
  readonly retentionDays?: number;
  readonly fleet?: string;
  readonly fix?: true;
  readonly probe?: true;
};

type Place = { readonly address: string; readonly namespace: string };

const DAY_MS = 86_400_000;

/**
 * Looks at everything, one after the other. What the server refuses to tell is said where it belongs; a server that
 * doesn't answer throws.
 */
export async function examine(client: Client, options: DoctorOptions & Place): Promise<Check[]> {
  const { address, namespace, ledger, fleet } = options;
  const server = await serverCheck(client, address);
  const { checks: ofNamespace, isThere, retentionMs } = await namespaceChecks(client, namespace);
  const inNamespace = !isThere ? [] : await namespaceFindings(client, options);
  const ofLedger = {
    workflowsMs: retentionMs,
    retentionMs: options.retentionDays === undefined ? undefined : options.retentionDays * DAY_MS,
  };
  return [
    server,
    ...ofNamespace,
    ...inNamespace,
    ...(ledger === undefined ? [] : [await ledgerCheck({ ledger, ...ofLedger })]),
    ...(fleet === undefined || fleet === 'memory' ? [] : [await fleetCheck(fleet)]),
    ...versionChecks(process.cwd()),
  ];
}

async function namespaceFindings(
  client: Client,
  { namespace, fix, probe }: DoctorOptions & Place,
): Promise<readonly Check[]> {
  const mayFix = fix === true;
  return [
    await orRefusal('search attributes', () => searchAttributeCheck(client, { namespace, mayFix })),
    probe === true ? await orRefusal('timers', () => timerCheck(client, namespace)) : unprobed,
    await orRefusal('retries in layers', () => retryLayersCheck(client, namespace)),
  ];
}

/** One thing that the server doesn't let this user do leaves the others to be looked at. */
async function orRefusal(check: string, look: () => Promise<Check>): Promise<Check> {
  try {
    return await look();
  } catch (error) {
    const code = grpcCode(error);
    if (code === grpc.unavailable) throw error;
    const found = `the server refused: ${reasonOf(error)}`;
    return code === grpc.permissionDenied
      ? { check, state: 'unchecked', found, advice: moreRights }
      : { check, state: 'unchecked', found };
  }
}
