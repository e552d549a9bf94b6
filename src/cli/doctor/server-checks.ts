import type { Client } from '@temporalio/client';
import { policyDefaults } from '../../contract/policy.js';
import { grpc } from '../grpc-codes.js';
import { type Check, durationText, grpcCode } from './check.js';

/** What the checks of a namespace need of it. */
export type NamespaceFacts = {
  readonly checks: readonly Check[];
  /** Milliseconds that ended workflows are kept; undefined where the namespace isn't there. */
  readonly retentionMs: number | undefined;
};

/** Says which server answers. */
export async function serverCheck({ workflowService }: Client, address: string): Promise<Check> {
  const { serverVersion, capabilities } = await workflowService.getSystemInfo({});
  const found = `Temporal ${serverVersion || 'of unknown version'} at ${address}`;
  const check = 'server';
  if (capabilities?.upsertMemo === true) return { check, state: 'ok', found };
  const advice = 'This server is older than those that holdfast was tested with: upgrade it.';
  return { check, state: 'warning', found, advice };
}

/** Looks at a namespace: whether it is there, for how long it keeps workflows, and what it allows. */
export async function namespaceChecks(client: Client, namespace: string): Promise<NamespaceFacts> {
  const described = await client.workflowService
    .describeNamespace({ namespace })
    .catch((error: unknown) => {
      if (grpcCode(error) === grpc.notFound) return undefined;
      throw error;
    });
  if (described === undefined) {
    const advice = `Make it with \`temporal operator namespace create --namespace ${namespace}\`, or name another by --namespace.`;
    const found = `there is no namespace ${namespace}`;
    return {
      checks: [{ check: 'namespace', state: 'fault', found, advice }],
      retentionMs: undefined,
    };
  }
  const { namespaceInfo, config } = described;
  const retentionMs = 1_000 * Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0);
  const kept = retentionMs === 0 ? 'an unknown time' : durationText(retentionMs);
  const found = `${namespace}, which keeps ended workflows for ${kept}`;
  const people = peopleCheck(namespaceInfo?.capabilities?.syncUpdate === true);
  const limit = payloadCheck(Number(namespaceInfo?.limits?.blobSizeLimitError ?? 0));
  return { checks: [{ check: 'namespace', state: 'ok', found }, people, limit], retentionMs };
}

function peopleCheck(hasUpdates: boolean): Check {
  const check = 'updates';
  if (hasUpdates) return { check, state: 'ok', found: 'people can approve, answer and settle' };
  return {
    check,
    state: 'warning',
    found: 'the namespace takes no updates',
    advice:
      'Nobody can approve, answer or settle: allow updates (frontend.enableUpdateWorkflowExecution).',
  };
}

function payloadCheck(limitBytes: number): Check {
  const check = 'payloads';
  const { maxPayloadBytes } = policyDefaults;
  if (limitBytes === 0) {
    const found = "the server doesn't tell how large a payload may be";
    const advice = `holdfast refuses more than ${maxPayloadBytes} bytes (maxPayloadBytes), as suits a server's default of 2 MiB.`;
    return { check, state: 'unchecked', found, advice };
  }
  const found = `of at most ${limitBytes} bytes; holdfast refuses more than ${maxPayloadBytes}`;
  if (limitBytes > maxPayloadBytes) return { check, state: 'ok', found };
  const advice = `A payload between the two fails a workflow's task again and again: set maxPayloadBytes below ${limitBytes} in the policy.`;
  return { check, state: 'fault', found, advice };
}
