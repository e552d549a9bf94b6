import type { AgentBlock, AgentBlocks } from './agent.js';
import { agentKinds } from './agent-kinds.js';
import type { BenchResult, Measure } from './result.js';
import { ratioOf, spreadOf } from './statistics.js';

const names = { plain: 'plain activities', loop: "holdfast's loop" } as const;

const figures = [
  {
    name: 'turns',
    unit: 'per second',
    of: ({ turnsPerSecond }: AgentBlock): number => turnsPerSecond,
  },
  { name: 'worker CPU per turn', unit: 'ms', of: ({ cpuMs }: AgentBlock): number => cpuMs },
  { name: 'history', unit: 'bytes', of: ({ historyBytes }: AgentBlock): number => historyBytes },
] as const;

/** Returns what the blocks say: every figure of both kinds, and the loop's beside the plain one. */
export function agentResult(blocks: AgentBlocks): BenchResult {
  return {
    id: 'i',
    title: "an agent's turns: holdfast's loop beside a workflow of plain activities",
    measures: figures.flatMap(({ name, unit, of }): readonly Measure[] => [
      ...agentKinds.map((kind) => ({
        name: `${name}: ${names[kind]}`,
        unit,
        ...spreadOf(blocks[kind].map(of)),
      })),
      {
        name: `${name}: loop / plain`,
        unit: 'times',
        ...ratioOf(blocks.loop.map(of), blocks.plain.map(of)),
      },
    ]),
    checks: [],
    notes: [
      'A ticket of four turns and three tool calls (a look-up, a refund, a letter), ten at once; one model and one',
      'shop behind HTTP, which answer at once and share the two cores, as the server does: a real model takes seconds.',
      'The loop claims refund and letter in a ledger, keeps the conversation in a store (both SQLite) and passes the',
      'gate; the plain workflow has none of that, sends the whole conversation with every call, and its refund can',
      'happen twice. What is measured is the price of the difference, without a bound.',
    ],
  };
}
