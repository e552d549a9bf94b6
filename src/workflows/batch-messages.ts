import type { UpdateDefinition } from '@temporalio/common';
import { ApplicationFailure, defineQuery, defineUpdate, setHandler } from '@temporalio/workflow';
import {
  type BatchProgress,
  type BatchReceipt,
  type BatchWord,
  batchRefusals,
  batchUpdates,
  PROGRESS_QUERY,
} from '../contract/batch.js';
import { batchWordFaults } from '../contract/message-check.js';
import { refuseFaults } from './message-refusal.js';

/** What people may see and steer of a batch. */
export type SteeredBatch = {
  readonly progress: () => BatchProgress;
  isPaused: boolean;
  isCancelled: boolean;
};

const progress = defineQuery<BatchProgress>(PROGRESS_QUERY);
const pause = defineUpdate<BatchReceipt, [BatchWord]>(batchUpdates.pause);
const resume = defineUpdate<BatchReceipt, [BatchWord]>(batchUpdates.resume);
const cancel = defineUpdate<BatchReceipt, [BatchWord]>(batchUpdates.cancel);

type Refusal = keyof typeof batchRefusals;

const refusals: Readonly<Record<Refusal, string>> = {
  paused: 'The batch is paused already.',
  notPaused: 'The batch is not paused.',
  cancelled: 'The batch is cancelled: it starts no further item.',
};

/** Lets people see how far a batch is, and pause, resume and cancel it. */
export function hearBatch(batch: SteeredBatch): void {
  setHandler(progress, () => batch.progress(), { description: 'How far the batch is' });
  hear(batch, pause, {
    description: 'Start no further item: {"by", "note"?}',
    refusal: () => (batch.isPaused ? 'paused' : undefined),
    record: () => {
      batch.isPaused = true;
    },
  });
  hear(batch, resume, {
    description: 'Go on with a paused batch: {"by", "note"?}',
    refusal: () => (batch.isPaused ? undefined : 'notPaused'),
    record: () => {
      batch.isPaused = false;
    },
  });
  hear(batch, cancel, {
    description: 'Cancel the items that run and start no further one: {"by", "note"?}',
    refusal: () => undefined,
    record: () => {
      batch.isCancelled = true;
    },
  });
}

function hear(
  batch: SteeredBatch,
  update: UpdateDefinition<BatchReceipt, [BatchWord]>,
  heard: {
    readonly description: string;
    readonly refusal: () => Refusal | undefined;
    readonly record: () => void;
  },
): void {
  const { description, refusal, record } = heard;
  const validator = (word: BatchWord): void => {
    refuseFaults(batchWordFaults(word));
    const why = batch.isCancelled ? 'cancelled' : refusal();
    if (why !== undefined) throw ApplicationFailure.nonRetryable(refusals[why], batchRefusals[why]);
  };
  const keep = (): BatchReceipt => {
    record();
    return { paused: batch.isPaused, cancelled: batch.isCancelled };
  };
  setHandler(update, keep, { validator, description });
}
