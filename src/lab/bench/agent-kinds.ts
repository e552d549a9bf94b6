import { fileURLToPath } from 'node:url';

/** How an agent's turns are run: by a workflow of plain activities, or by holdfast's loop. */
export const agentKinds = ['plain', 'loop'] as const;

/** One of the ways. */
export type AgentKind = (typeof agentKinds)[number];

/** Tells a kind's name from other words. */
export function isAgentKind(word: string | undefined): word is AgentKind {
  return agentKinds.some((kind) => kind === word);
}

/** Returns the workflows file of a kind. */
export function agentWorkflows(kind: AgentKind): string {
  const name = kind === 'plain' ? 'plain-agent-workflows.js' : 'agent-loop-workflows.js';
  return fileURLToPath(new URL(`./sandbox/${name}`, import.meta.url));
}
