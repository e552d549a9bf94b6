import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ToolImplementation } from '../../activities/implement-tool.js';
import type { PolicyInput } from '../../contract/policy.js';
import type { Task } from '../../contract/task.js';
import type { AnyTool } from '../../contract/tool.js';

/** A ticket as the example reads it. */
export type Ticket = {
  readonly id: string;
  readonly from: string;
  readonly subject: string;
  readonly body: string;
};

/** The example's agent, loaded as a user's project would be. */
export type Agent = {
  readonly tools: readonly AnyTool[];
  readonly policy: PolicyInput;
  readonly ticketTask: (ticket: Ticket, deadlineMs?: number) => Task;
};

type Services = {
  readonly shopUrl: string;
  readonly model: { readonly url: string; readonly name: string };
};

const compiled = new URL('../../../examples/support-agent/', import.meta.url);
const tickets = new URL('../../../../examples/support-agent/tickets/', import.meta.url);

/** The example's workflows file, compiled. */
export const agentWorkflows = fileURLToPath(new URL('workflows.js', compiled));

/** Loads the example's contract. The example imports the package by its name; nothing here imports it. */
export async function loadAgent(): Promise<Agent> {
  const [{ tools }, { policy }, { ticketTask }] = await Promise.all([
    load<Pick<Agent, 'tools'>>('tools.js'),
    load<Pick<Agent, 'policy'>>('policy.js'),
    load<Pick<Agent, 'ticketTask'>>('task.js'),
  ]);
  return { tools, policy, ticketTask };
}

/** Loads the example's tools as activities that also run without holdfast. */
export async function loadImplementations(
  services: Services,
): Promise<readonly ToolImplementation[]> {
  type Module = { readonly supportTools: (to: Services) => readonly ToolImplementation[] };
  return (await load<Module>('implementations.js')).supportTools(services);
}

/** Reads the example's tickets in the order of their file names. */
export async function readTickets(): Promise<readonly Ticket[]> {
  const folder = fileURLToPath(tickets);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.map((text) => {
    // the tickets are part of this repository, and each tool's input schema checks them
    const { id, from, subject, body } = JSON.parse(text) as Ticket;
    return { id, from, subject, body };
  });
}

async function load<Module>(name: string): Promise<Module> {
  // the example is compiled with this package, and its types are those of the contract
  return (await import(new URL(name, compiled).href)) as Module;
}
