import { type RefundKind, refundTools } from '../crash/fixture/tools.js';
import type { Paid } from '../crash/fixture/workflows.js';
import type { EffectRig } from './effect-rig.js';
import type { Point } from './points.js';

/** How a refund ends whose worker was killed, and how often it was paid. */
export type Fate = { readonly end: string; readonly effects: number };

const paidOnce: Fate = { end: 'ok', effects: 1 };
const replayed: Fate = { end: 'ok, replayed', effects: 1 };

/** What has to become of a refund, by the point at which its worker is killed and by its downstream. */
export const fates: Readonly<Record<Point, Readonly<Record<RefundKind, Fate>>>> = {
  'before-claim': { keyed: paidOnce, plain: paidOnce, probed: paidOnce },
  'after-claim': { keyed: paidOnce, plain: { end: 'unknown', effects: 0 }, probed: paidOnce },
  'before-settle': { keyed: paidOnce, plain: { end: 'unknown', effects: 1 }, probed: replayed },
  'after-settle': { keyed: replayed, plain: replayed, probed: replayed },
};

/** Every kind of refund. */
export const refundKinds = Object.keys(refundTools) as readonly RefundKind[]; // the record's own keys

/** A refund whose worker was killed. */
export type LostRefund = { readonly fate: () => Promise<Fate> };

/** A loss, and the clocks of the workers that take part in it. */
export type Loss = {
  readonly point: Point;
  /** Milliseconds by which the clock of the worker that is killed is ahead. */
  readonly lostAheadMs?: number;
  /** The same of the one that takes over; without it, that one is a worker of this process. */
  readonly rescuerAheadMs?: number;
};

/** Has one refund of each kind come to the point in one worker, kills it there, and starts another one. */
export async function loseWorker(
  rig: EffectRig,
  { point, lostAheadMs, rescuerAheadMs }: Loss,
): Promise<Readonly<Record<RefundKind, LostRefund>>> {
  const taskQueue = rig.id(point);
  const pay = async (kind: RefundKind): Promise<LostRefund> => {
    const orderId = rig.newOrder();
    const handle = await rig.pay({ kind, orderId }, { taskQueue });
    return { fate: async () => toFate(await handle.result(), rig.effectsOf(orderId)) };
  };
  const doomed = await rig.startProcess({ taskQueue, stallAt: point, clockOffsetMs: lostAheadMs });
  const lost = {
    keyed: await pay('keyed'),
    plain: await pay('plain'),
    probed: await pay('probed'),
  };
  await doomed.stalled(refundKinds.length);
  await doomed.kill();
  if (rescuerAheadMs === undefined) await rig.startRescuer({ taskQueue });
  else await rig.startProcess({ taskQueue, clockOffsetMs: rescuerAheadMs });
  return lost;
}

function toFate({ kind, report }: Paid, effects: number): Fate {
  return { end: report.replayed ? `${kind}, replayed` : kind, effects };
}
