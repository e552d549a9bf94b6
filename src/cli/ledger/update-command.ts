import { type Settlement, updates } from '../../contract/messages.js';

/** Returns the command of the `temporal` CLI that tells a workflow of a settlement, for a POSIX shell. */
export function updateCommand(options: {
  readonly workflowId: string;
  readonly namespace: string;
  readonly address: string;
  readonly settlement: Settlement;
}): string {
  const { workflowId, namespace, address, settlement } = options;
  return [
    'temporal workflow update execute',
    `--address ${quoted(address)}`,
    `--namespace ${quoted(namespace)}`,
    `--workflow-id ${quoted(workflowId)}`,
    `--name ${updates.settle}`,
    `--input ${quoted(JSON.stringify(settlement))}`,
  ].join(' ');
}

function quoted(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
