import type { Client } from '@temporalio/client';
import { policyDefaults } from '../../contract/policy.js';
import { grpc } from '../grpc-codes.js';
import { type Check, durationText, grpcCode, moreRights } from './check.js';

/** What the checks of a namespace need of it. */
export type NamespaceFacts = {
  readonly checks: readonly Check[];
  readonly isThere: boolean;
  /** Milliseconds that ended workflows are kept; undefined where nobody says so. */
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
    .catch((error: unknown) => withoutNamespace(error, namespace));
  if ('checks' in described) return described;
  const { namespaceInfo, config } = described;
  const retentionMs = 1_000 * Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0);
  const kept = retentionMs === 0 ? 'an unknown time' : durationText(retentionMs);
  const found = `${namespace}, which keeps ended workflows for ${kept}`;
  const people = peopleCheck(namespaceInfo?.capabilities?.syncUpdate === true);
  const limit = payloadCheck(Number(namespaceInfo?.limits?.blobSizeLimitError ?? 0));
  return {
    checks: [{ check: 'namespace', state: 'ok', found }, people, limit],
    isThere: true,
    retentionMs,
  };
}

function withoutNamespace(error: unknown, namespace: string): NamespaceFacts {
  const check = 'namespace';
  switch (grpcCode(error)) {
    case grpc.notFound: {
      const advice = `Make it with \`temporal operator namespace create --namespace ${namespace}\`, or name another by --namespace.`;
      const found = `there is no namespace ${namespace}`;
      return {
        checks: [{ check, state: 'fault', found, advice }],
        isThere: false,
        retentionMs: undefined,
      };
    }
    case grpc.permissionDenied: {
      const found = `the server doesn't let this user look at ${namespace}: its retention and limits are not known`;
      const checks = [{ check, state: 'unchecked', found, advice: moreRights }] as const;
      return { checks, isThere: true, retentionMs: undefined };
    }
    default:
      throw error;
  }
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
