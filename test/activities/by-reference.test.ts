import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runReferring } from '../../src/activities/by-reference.js';
import { type CallHeader, noSums } from '../../src/contract/call-header.js';
import { ConversationsUnavailableError } from '../../src/conversations/conversation-errors.js';
import type { ConversationStore } from '../../src/conversations/conversations.js';

describe('a tool whose result is for the store of conversations', () => {
  it('is not sent again and again while the store can keep nothing', async () => {
    let isAway = true;
    const store = {
      put: async () => {
        if (isAway) throw new ConversationsUnavailableError('put', new Error('the disk is full'));
      },
    } as unknown as ConversationStore; // all that a result needs of it
    let sent = 0;
    const send = (): Promise<unknown> =>
      runReferring(
        {
          activityType: 'find_article',
          header: { byReference: true } as CallHeader, // all that is read of it here
          before: noSums,
          conversations: store,
        },
        { args: [], headers: {} },
        async () => {
          sent += 1;
          return 'found';
        },
      );
    await assert.rejects(send(), { type: 'holdfast.wait' });
    await assert.rejects(send(), { type: 'holdfast.wait' });
    await assert.rejects(send(), { type: 'holdfast.wait' });
    assert.equal(sent, 1);
    isAway = false;
    assert.equal(((await send()) as { readonly bytes: number }).bytes, '"found"'.length);
    assert.equal(sent, 2);
  });
});
