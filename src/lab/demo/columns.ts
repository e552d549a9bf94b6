import type { WorkflowStartOptions } from '@temporalio/client';
import type { AnyTool } from '../../contract/tool.js';
import type { Agent, Ticket } from './agent.js';
import { script } from './faults.js';
import type { PlainTask, StepTimeouts } from './plain-workflows.js';

/** One way to retry, measured over all tickets. */
export type Column = {
  readonly id: 'default' | 'three' | 'layers' | 'holdfast';
  readonly title: string;
  readonly workflowType: string;
  /** Which pair of workers runs it. */
  readonly workers: 'holdfast' | 'plain';
  readonly startOptions: (ticket: Ticket) => WorkflowStartOptions;
};

/** Makes the columns in the order in which they are shown. */
export function createColumns(agent: Agent): readonly Column[] {
  const plain = (
    column: Pick<Column, 'id' | 'title' | 'workflowType'>,
    retries?: number,
  ): Column => ({
    ...column,
    workers: 'plain',
    startOptions: (ticket) => ({
      taskQueue: 'plain',
      workflowId: `${ticket.id}.${column.id}`,
      args: [plainTask(ticket, agent.tools)],
      workflowExecutionTimeout: script.deadlineMs,
      workflowTaskTimeout: script.workflowTaskTimeoutMs,
      ...(retries === undefined ? {} : { retry: { maximumAttempts: retries } }),
    }),
  });
  return [
    plain({ id: 'default', title: 'default policy', workflowType: 'defaultPolicy' }),
    plain({ id: 'three', title: '3 attempts', workflowType: 'threeAttempts' }),
    plain({ id: 'layers', title: '3 x 3 x 3', workflowType: 'layersOfThree' }, 3),
    {
      id: 'holdfast',
      title: 'holdfast',
      workflowType: 'agentTask',
      workers: 'holdfast',
      startOptions: (ticket) => ({
        taskQueue: 'holdfast',
        workflowId: ticket.id,
        args: [agent.ticketTask(ticket, script.deadlineMs)],
        workflowTaskTimeout: script.workflowTaskTimeoutMs,
      }),
    },
  ];
}

function plainTask(ticket: Ticket, tools: readonly AnyTool[]): PlainTask {
  const timeouts = tools.map(({ name, attemptTimeoutMs, heartbeatTimeoutMs }) => {
    const timeout: StepTimeouts = {
      attemptMs: attemptTimeoutMs,
      ...(heartbeatTimeoutMs === undefined ? {} : { heartbeatMs: heartbeatTimeoutMs }),
    };
    return [name, timeout] as const;
  });
  return { ticket, timeouts: Object.fromEntries(timeouts), deadlineMs: script.deadlineMs };
}
