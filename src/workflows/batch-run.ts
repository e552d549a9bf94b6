import {
  type CancellationScope,
  condition,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { BatchInput, BatchProgress, BatchResult } from '../contract/batch.js';
import { showRanges } from '../contract/item-ranges.js';
import { type ItemRunner, itemEnd, preparedItem, reasonOf } from './batch-child.js';
import { type ItemSource, itemSource, type NumberedItem } from './batch-items.js';
import type { SteeredBatch } from './batch-messages.js';
import {
  type BatchState,
  type CarriedBatch,
  carriedState,
  ended,
  type ItemEnd,
  initialBatchState,
  isFull,
  progressOf,
  restOf,
  resultOf,
  resumedState,
  taken,
} from './batch-state.js';

type Settings<Item> = ItemRunner<Item> & { readonly concurrency: number; readonly pauseMs: number };

/** One run of a batch: the chain of continue-as-news has several. */
export class BatchRun<Item> implements SteeredBatch {
  isPaused: boolean;
  isCancelled = false;
  /** Items whose workflows run. */
  running = 0;
  #state: BatchState;
  #started = 0;
  #isAtEnd = false;
  readonly #settings: Settings<Item>;
  readonly #input: BatchInput<Item>;
  readonly #source: ItemSource;
  readonly #batchId: string;

  constructor(settings: Settings<Item>, input: BatchInput<Item>, carried?: CarriedBatch) {
    const { concurrency = settings.concurrency, pauseMs = settings.pauseMs } = input;
    this.#settings = { ...settings, concurrency, pauseMs };
    this.#input = input;
    this.#state = carried === undefined ? initialBatchState : resumedState(carried);
    this.#source = itemSource(input, this.#state.next);
    this.#batchId = input.batchId ?? workflowInfo().workflowId;
    this.isPaused = this.#state.paused;
  }

  /** Starts items until there are no more, or until the history is long enough for this run. */
  async startItems(scope: CancellationScope): Promise<void> {
    const { concurrency, pauseMs } = this.#settings;
    let inChunk = 0;
    for (;;) {
      await condition(() => this.isCancelled || (!this.isPaused && this.running < concurrency));
      if (this.isCancelled || this.#isLongEnough()) break;
      if (inChunk === concurrency) {
        inChunk = 0;
        if (pauseMs > 0) await condition(() => this.isCancelled, pauseMs);
      } else if (isFull(this.#state) || !(await this.#source.find())) {
        this.#isAtEnd = true;
        break;
      } else if (!this.isPaused && !this.isCancelled) {
        this.#start(scope);
        inChunk += 1;
      }
    }
  }

  /** Waits until no item runs; cancels those that do where a person says so. */
  async settled(scope: CancellationScope): Promise<void> {
    await condition(() => this.running === 0 || this.isCancelled);
    if (this.isCancelled) scope.cancel();
    await condition(() => this.running === 0);
  }

  /** True once nothing more is to be started. */
  get isOver(): boolean {
    return this.#isAtEnd || this.isCancelled;
  }

  /** Returns what the next run of the chain begins with. */
  carried(): CarriedBatch {
    return carriedState(this.#steered());
  }

  progress(): BatchProgress {
    return progressOf(this.#steered(), { itemsLeft: this.#source.left(), running: this.running });
  }

  result(): BatchResult {
    const isStopped = this.isCancelled || isFull(this.#state);
    const rest = isStopped ? restOf(this.#input, this.#state.next.line) : [];
    const isAtEnd = this.#source.left() === 0;
    const end = {
      batchId: this.#batchId,
      rest: isAtEnd ? [] : rest,
      isCancelled: this.isCancelled,
    };
    return resultOf(this.#state, end);
  }

  /** Returns the input without what has been run. */
  inputLeft(): BatchInput<Item> {
    const { only, ...input } = this.#input;
    const batchId = this.#batchId;
    if (only === undefined) return { ...input, batchId };
    return { ...input, batchId, only: showRanges(restOf(this.#input, this.#state.next.line)) };
  }

  #steered(): BatchState {
    return { ...this.#state, paused: this.isPaused };
  }

  /** A run that starts nothing would continue as new for ever. */
  #isLongEnough(): boolean {
    return this.#started > 0 && workflowInfo().continueAsNewSuggested;
  }

  #start(scope: CancellationScope): void {
    const { item, next } = this.#source.take();
    this.#state = taken(this.#state, next);
    this.#started += 1;
    const prepared = this.#prepared(item);
    if (!('workflowId' in prepared)) {
      this.#end({ number: item.number, workflowId: null }, prepared);
      return;
    }
    const isRerun = this.#input.only !== undefined;
    this.running += 1;
    // Not awaited: whoever waits for room looks at `running`, and an item's end is never an error.
    void scope
      .run(() => itemEnd(this.#settings, prepared, isRerun))
      .then((end) => {
        this.running -= 1;
        this.#end({ number: item.number, workflowId: prepared.workflowId }, end);
      });
  }

  #prepared(item: NumberedItem): ReturnType<typeof preparedItem> | ItemEnd {
    if (item.kind === 'fault') return { kind: 'failed', reason: item.fault };
    const { number } = item;
    try {
      const own = item.item as Item; // what the caller's items are, only the caller's own functions check
      return preparedItem(this.#settings, { batchId: this.#batchId, number, item: own });
    } catch (error) {
      return { kind: 'failed', reason: reasonOf(error) };
    }
  }

  #end(item: { readonly number: number; readonly workflowId: string | null }, end: ItemEnd): void {
    this.#state = ended(this.#state, item, end);
    const { started, ok, degraded, failed } = this.#state.counts;
    setCurrentDetails(`${started} items started, ${ok} ok, ${degraded} degraded, ${failed} failed`);
  }
}
