import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ConversationStore, openConversations } from 'holdfast/conversations';
import { openLedger } from 'holdfast/ledger';
import {
  extendConversation,
  loadConversation,
  storedBody,
} from '../../src/conversations/conversation.js';
import { openTestConversations } from '../support/test-conversations.js';

const said = (content: string, ...ids: readonly string[]) => ({
  kind: 'message' as const,
  message: {
    role: 'assistant' as const,
    content,
    ...(ids.length === 0 ? {} : { toolCalls: ids.map((id) => ({ id, name: 'find', input: {} })) }),
  },
});

const result = (toolCallId: string, hash: string) => ({
  kind: 'result' as const,
  toolCallId,
  toolName: 'find',
  hash,
});

describe('a conversation', () => {
  let store: ConversationStore;
  before(async () => {
    store = await openConversations(':memory:');
  });
  after(() => store.close());

  it('loses a call together with its result, and an answer that held nothing else', async () => {
    const { hash } = storedBody({ found: 1 });
    await store.put([storedBody({ found: 1 })]);
    const append = [said('', 'a'), result('a', hash), said('look', 'b', 'c'), result('b', hash)];
    const first = await extendConversation(store, null, { append });
    const rest = { append: [result('c', hash)], dropped: ['a', 'b'] };
    const { messages, callIds } = await loadConversation(
      store,
      await extendConversation(store, first, rest),
    );
    assert.deepEqual(messages, [
      said('look', 'c').message,
      { role: 'tool', toolCallId: 'c', toolName: 'find', output: { found: 1 } },
    ]);
    assert.deepEqual([...callIds], ['a', 'b', 'c']);
  });

  it('replaces halves of characters, which no database can hold', () => {
    assert.equal(storedBody('\uD83D!').body, '"\uFFFD!"');
  });

  it('may stand in the file of the ledger', async () => {
    const beside = await openTestConversations();
    try {
      const ledger = await openLedger(beside.path);
      assert.equal(ledger.kind, 'sqlite');
      await ledger.close();
    } finally {
      await beside.remove();
    }
  });
});
