import { implementTool, type ToolImplementation } from 'holdfast';
import { currentAttempt } from '../../src/activities/attempt-context.js';
import { longWork, refund } from '../replay/fixture/tools.js';
import { implementations } from '../workflows/fixture/implementations.js';
import { undoImplementations } from '../workflows/fixture/undo-implementations.js';

/** What a worker of the crash tests does beside its work. */
export type Stalling = {
  /** Attempts (`tool#attempt`) that begin, do their effect, and never end on this worker. */
  readonly stallAt: readonly string[];
  /** Hears of each attempt once it is about to stall, or about to work. */
  readonly onAttempt: (at: string) => void;
  /** The lab's upstream, where the refunds are paid. */
  readonly upstreamUrl?: string | undefined;
};

/** Returns the fixture's tools on a worker that gets stuck where it is told to. */
export function stallingImplementations(stalling: Stalling): ToolImplementation[] {
  const others = [...implementations([]), ...undoImplementations([])];
  return [...others, ...ownImplementations(stalling)].map((one) =>
    one.tool.name === refund.name ? one : withStall(one, stalling),
  );
}

function ownImplementations(stalling: Stalling): ToolImplementation[] {
  const refunds = implementTool(refund, async (input, { http, attempt }) => {
    const { body } = await http({ url: `${stalling.upstreamUrl}/refunds`, json: input });
    await pass(`${refund.name}#${attempt}`, stalling); // between the effect and its report
    return body as { readonly refundId: string }; // the output schema checks it
  });
  const long = implementTool(longWork, async ({ workMs }, { attempt }) => {
    await new Promise((resolve) => setTimeout(resolve, workMs));
    return { attempt };
  });
  return [refunds as ToolImplementation, long as ToolImplementation];
}

function withStall({ tool, activity }: ToolImplementation, stalling: Stalling): ToolImplementation {
  return {
    tool,
    activity: async (input) => {
      await pass(`${tool.name}#${currentAttempt()?.attempt}`, stalling);
      return activity(input);
    },
  };
}

function pass(at: string, { stallAt, onAttempt }: Stalling): Promise<void> {
  onAttempt(at);
  return stallAt.includes(at) ? new Promise(() => {}) : Promise.resolve();
}
