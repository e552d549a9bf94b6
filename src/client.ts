import type { WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import { headerNames, type StartHeader } from './contract/call-header.js';
import { checkTask } from './contract/task-check.js';
import type { AnyTool } from './contract/tool.js';

/** What a client of holdfast knows. */
export type HoldfastClientOptions = {
  /** Tools of the tasks that it starts; with them a wrong task is refused before the start. */
  readonly tools?: readonly AnyTool[] | undefined;
  /** Workflow types that are agent tasks. @default ['agentTask'] */
  readonly taskTypes?: readonly string[] | undefined;
  /** For whom the started runs work. @default the task's own */
  readonly tenant?: string | undefined;
};

type Start = { readonly workflowType: string; readonly args: readonly unknown[] };

const defaultTaskTypes: readonly string[] = ['agentTask'];

/**
 * Makes the client's interceptor. It puts the start header on every workflow, so that a run is governed
 * from its first event at no extra event, and refuses wrong tasks with InvalidRequestError.
 */
export function clientInterceptor(options: HoldfastClientOptions): WorkflowClientInterceptor {
  const { tools, taskTypes = defaultTaskTypes, tenant } = options;
  const header: StartHeader = { v: 1, ...(tenant === undefined ? {} : { tenant }) };
  const withHeader = (headers: Headers): Headers => ({
    ...headers,
    [headerNames.start]: defaultPayloadConverter.toPayload(header),
  });
  const check = ({ workflowType, args }: Start): void => {
    if (tools !== undefined && taskTypes.includes(workflowType)) checkTask(args[0], tools);
  };
  return {
    async startWithDetails(input, next) {
      check({ workflowType: input.workflowType, args: input.options.args });
      return next({ ...input, headers: withHeader(input.headers) });
    },
    async signalWithStart(input, next) {
      check({ workflowType: input.workflowType, args: input.options.args });
      return next({ ...input, headers: withHeader(input.headers) });
    },
    async startUpdateWithStart(input, next) {
      check({ workflowType: input.workflowType, args: input.workflowStartOptions.args });
      return next({ ...input, workflowStartHeaders: withHeader(input.workflowStartHeaders) });
    },
  };
}
