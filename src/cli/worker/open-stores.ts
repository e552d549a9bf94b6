import { type ConversationStore, openConversations } from '../../conversations/index.js';
import { type Ledger, openLedger } from '../../ledger/index.js';
import {
  createRetryBudget,
  type Limiter,
  openFleetStore,
  openLimiter,
  type RetryBudget,
} from '../../limits/index.js';

/** Where a worker's stores are, as its options say. */
export type StoreChoice = {
  readonly ledger?: string;
  readonly conversations?: string;
  readonly fleet?: string;
};

/** Stores that were opened for a worker, and are closed with it. */
export type Stores = {
  readonly ledger?: Ledger;
  readonly conversations?: ConversationStore;
  readonly limiter?: Limiter;
  readonly retryBudget?: RetryBudget;
};

/** Opens the stores that options name, hands them to `use`, and closes them. */
export async function withStores<Result>(
  choice: StoreChoice,
  use: (stores: Stores) => Promise<Result>,
): Promise<Result> {
  const opened: { close(): Promise<void> }[] = [];
  const open = async <Store extends { close(): Promise<void> }>(
    address: string | undefined,
    opener: (address: string) => Promise<Store>,
  ): Promise<Store | undefined> => {
    if (address === undefined) return undefined;
    const store = await opener(address);
    opened.push(store);
    return store;
  };
  try {
    const ledger = await open(choice.ledger, (address) => openLedger(address));
    // the same database will do for both
    const conversations = await open(choice.conversations ?? choice.ledger, (address) =>
      openConversations(address),
    );
    const limiter = await open(choice.fleet, openLimiter);
    const retryBudget = await open(choice.fleet, async (address) =>
      createRetryBudget({ store: await openFleetStore(address) }),
    );
    return await use({
      ...(ledger === undefined ? {} : { ledger }),
      ...(conversations === undefined ? {} : { conversations }),
      ...(limiter === undefined ? {} : { limiter }),
      ...(retryBudget === undefined ? {} : { retryBudget }),
    });
  } finally {
    await Promise.all(opened.map((store) => store.close()));
  }
}
