import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
} from '@temporalio/workflow';
import { type Fault, throwFaults } from '../budget/errors.js';
import { faultsOf, rules } from '../budget/rules.js';
import { type BatchInput, type BatchResult, batchDefaults } from '../contract/batch.js';
import { batchInputFaults } from '../contract/batch-check.js';
import type { ItemRunner } from './batch-child.js';
import { hearBatch } from './batch-messages.js';
import { BatchRun } from './batch-run.js';
import type { CarriedBatch } from './batch-state.js';
import { refuseInvalid } from './invalid-request.js';

/** How a batch runs its items. */
export type BatchOptions<Item> = ItemRunner<Item> & {
  /** Items that run at once. @default 5 */
  readonly concurrency?: number;
  /** Milliseconds between chunks of so many starts. @default 200 */
  readonly pauseMs?: number;
};

/** A workflow that runs many items; its type in Temporal is the name under which it is exported. */
export type Batch<Item> = (input: BatchInput<Item>, carried?: CarriedBatch) => Promise<BatchResult>;

/**
 * Makes the workflow that runs one workflow for each of many items: so many at once, each to its end, whatever
 * becomes of the others. It continues as new before its history grows too long, once what runs has ended. An item
 * that fails fails nothing else; the batch itself fails only where its input is wrong or its file can't be read.
 */
export function defineBatch<Item = unknown>(options: BatchOptions<Item>): Batch<Item> {
  return async function batch(input, carried) {
    refuseInvalid(() => throwFaults([...optionFaults(options), ...batchInputFaults(input)]));
    const run = new BatchRun({ ...batchDefaults, ...options }, input, carried);
    hearBatch(run);
    const items = new CancellationScope({ cancellable: true });
    try {
      await run.startItems(items);
      await run.settled(items);
    } catch (error) {
      // Cancelled, or without its file: what runs ends first.
      await CancellationScope.nonCancellable(() => condition(() => run.running === 0));
      throw error;
    }
    await condition(allHandlersFinished);
    if (run.isOver) return run.result();
    return continueAsNew<Batch<Item>>(run.inputLeft(), run.carried());
  };
}

function optionFaults(options: BatchOptions<never>): Fault[] {
  const { workflow, concurrency, pauseMs } = options;
  const isNamed = typeof workflow === 'function' || rules.text.holds(workflow);
  const rule = 'must be the type of a workflow, or the workflow itself';
  return [
    ...(isNamed ? [] : [{ field: 'defineBatch.workflow', rule, value: workflow }]),
    ...(concurrency === undefined
      ? []
      : faultsOf('defineBatch.concurrency', concurrency, rules.positiveInteger)),
    ...(pauseMs === undefined
      ? []
      : faultsOf('defineBatch.pauseMs', pauseMs, rules.nonNegativeNumber)),
  ];
}
