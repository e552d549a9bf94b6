import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  extendConversation,
  loadConversation,
  storedBody,
} from '../../src/conversations/conversation.js';
import {
  type ConversationStore,
  ConversationsUnavailableError,
} from '../../src/conversations/index.js';

/** A store of conversations in a database of a test's own. */
export type ConversationsFixture = {
  readonly store: ConversationStore;
  /** Runs a statement beside the store. */
  readonly execute: (statement: string) => Promise<unknown>;
  readonly dispose: () => Promise<void>;
};

const user = (content: string) => ({
  kind: 'message' as const,
  message: { role: 'user' as const, content },
});

/** What every store of conversations does, the same for all. */
export function describeConversations(
  name: string,
  open: (options?: { readonly retentionMs?: number }) => Promise<ConversationsFixture>,
): void {
  const within =
    (run: (fixture: ConversationsFixture) => Promise<void>, retentionMs?: number) => async () => {
      const fixture = await open(retentionMs === undefined ? {} : { retentionMs });
      try {
        await run(fixture);
      } finally {
        await fixture.dispose();
      }
    };

  describe(`the ${name} store of conversations`, () => {
    it(
      'returns what it was given, by its hash, and nothing else',
      within(async ({ store }) => {
        const body = storedBody({ text: 'grün \u{1F600} \0', list: [1, null] });
        await store.put([body]);
        const found = await store.get([body.hash, '0'.repeat(64)]);
        assert.deepEqual([...found], [[body.hash, body.body]]);
      }),
    );

    it(
      'takes the same body again, also twice at once and from many writers',
      within(async ({ store }) => {
        const bodies = ['a', 'b', 'c', 'a'].map(storedBody);
        await Promise.all(Array.from({ length: 8 }, () => store.put(bodies)));
        const found = await store.get(bodies.map(({ hash }) => hash));
        assert.equal(found.size, 3);
      }),
    );

    it(
      'takes and returns more bodies than one statement holds',
      within(async ({ store }) => {
        const bodies = Array.from({ length: 1_200 }, (_, number) => storedBody(number));
        await store.put(bodies);
        assert.equal((await store.get(bodies.map(({ hash }) => hash))).size, 1_200);
      }),
    );

    it(
      'forgets what nobody has used for its retention, and keeps what was read since',
      within(async ({ store, execute }) => {
        const [old, used] = [storedBody('old'), storedBody('used')];
        await store.put([old, used]);
        await execute('update holdfast_conversations set used_at = used_at - 70000');
        await store.get([used.hash]);
        assert.deepEqual(await store.sweep(), { removed: 1 });
        assert.deepEqual([...(await store.get([old.hash, used.hash])).keys()], [used.hash]);
      }, 60_000),
    );

    it(
      'says that it gives no answer once its table is gone or it is closed',
      within(async ({ store, execute }) => {
        await execute('drop table holdfast_conversations');
        await assert.rejects(store.put([storedBody(1)]), ConversationsUnavailableError);
        await store.close();
        await assert.rejects(store.get([storedBody(1).hash]), /it has been closed/);
      }),
    );

    it(
      'holds a conversation of many turns in its order, with one head for each',
      within(async ({ store }) => {
        let head: string | null = null;
        const texts = Array.from({ length: 200 }, (_, number) => `turn ${number}`);
        for (const text of texts) {
          const before: string | null = head;
          head = await extendConversation(store, before, { append: [user(text)] });
          const again = await extendConversation(store, before, { append: [user(text)] });
          assert.equal(again, head);
        }
        const { messages } = await loadConversation(store, head);
        assert.deepEqual(
          messages.map((message) => 'content' in message && message.content),
          texts,
        );
      }),
    );

    it(
      'says which conversation it has lost',
      within(async ({ store, execute }) => {
        const head = await extendConversation(store, null, { append: [user('hello')] });
        await execute("delete from holdfast_conversations where body like '%hello%'");
        await assert.rejects(loadConversation(store, head), { kind: 'conversation-lost' });
        const addition = { append: [user('again')] };
        await assert.rejects(extendConversation(store, '0'.repeat(64), addition), {
          kind: 'conversation-lost',
        });
      }),
    );
  });
}
