import { implementTool, type ToolContext, type ToolImplementation } from 'holdfast';
import type { Order } from '../../src/lab/upstream/index.js';
import {
  createUpstream,
  type FaultPlanInput,
  type Upstream,
} from '../../src/lab/upstream/index.js';
import * as tools from '../activities/fixture/shop-tools.js';
import type { Errand, Errands } from '../activities/fixture/shop-workflows.js';
import { type Rig, type RigOptions, startRig } from './rig.js';

/** Two real shops behind real HTTP, and a worker whose tools ask them. */
export type ShopRig = Rig & {
  readonly shop: Upstream;
  readonly otherShop: Upstream;
  /** Requests that have come to the shop since its last reset. */
  readonly requests: () => number;
  /** Forgets what the shop has counted and sets its faults. */
  readonly restart: (faults?: FaultPlanInput) => void;
  /** Runs calls in a workflow of their own. */
  readonly run: (errand: Errand, workflowId?: string) => Promise<Errands>;
};

type Options = Pick<RigOptions, 'limiter' | 'retryBudget' | 'worker'>;

/** Starts the shops, a server and a worker. */
export async function startShopRig(options: Options = {}): Promise<ShopRig> {
  const shop = createUpstream();
  const otherShop = createUpstream();
  const urls = { shop: (await shop.start()).url, other: (await otherShop.start()).url };
  const rig = await startRig({
    ...options,
    workflows: 'test/activities/fixture/shop-workflows.js',
    implementations: shopImplementations(urls),
    // the server hands out 20 tasks a second otherwise
    dynamicConfig: { 'history.transferProcessorMaxPollRPS': '2000' },
  });
  return {
    ...rig,
    shop,
    otherShop,
    requests: () => shop.stats().totals.requests,
    restart: (faults = {}) => {
      shop.reset();
      shop.setFaults(faults);
    },
    run: (errand, workflowId = rig.id('errand')) =>
      rig.client.workflow.execute('errand', {
        taskQueue: rig.taskQueue,
        workflowId,
        args: [errand],
      }),
    stop: async () => {
      await Promise.all([shop.stop(), otherShop.stop()]);
      await rig.stop();
    },
  };
}

type Input = { readonly id: string; readonly tokens?: number | undefined };

function shopImplementations(urls: {
  readonly shop: string;
  readonly other: string;
}): ToolImplementation[] {
  const look =
    (url: string) =>
    async ({ id, tokens = 0 }: Input, { http, attempt, addTokens }: ToolContext) => {
      const { body } = await http({ url: `${url}/orders/${id}`, headers: { 'x-lab-call': id } });
      addTokens(tokens);
      return { id: (body as Order).orderId, attempt }; // the lab's own answer
    };
  const pay = async ({ id }: Input, { http, attempt }: ToolContext) => {
    const json = { orderId: id, amountCents: 100 };
    await http({ url: `${urls.shop}/refunds`, json, headers: { 'x-lab-call': id } });
    return { id, attempt };
  };
  const estimateTokens = ({ tokens = 0 }: Input): number => tokens;
  return [
    implementTool(tools.look, look(urls.shop), { estimateTokens }),
    implementTool(tools.lookOrGuess, look(urls.shop)),
    implementTool(tools.lookElsewhere, look(urls.other)),
    implementTool(tools.payBack, pay),
    implementTool(tools.unpay, pay),
    implementTool(tools.sendOnce, pay),
  ] as ToolImplementation[]; // a list of several tools
}
