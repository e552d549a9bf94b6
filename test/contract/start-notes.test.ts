import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loopNotes, taskNotes } from '../../src/contract/start-notes.js';

const bytes = (text = ''): number => new TextEncoder().encode(text).length;

describe('what the UI shows of a task from its start', () => {
  it('names its tools in order, for whom it is, and what stands in', () => {
    const notes = taskNotes({
      tenant: 'acme',
      deadlineMs: 90_000,
      continuesBudgetOf: 'ticket-1',
      steps: [
        { id: 'find', tool: 'search', fallback: [{ tool: 'keywords' }, { text: 'busy' }] },
        { id: 'say', tool: 'reply', required: false },
      ],
    });
    assert.equal(notes?.staticSummary, '2 steps: search → reply');
    assert.deepEqual(notes?.staticDetails.split('\n'), [
      'For acme. It has 90 s. It goes on with the budget of ticket-1.',
      '',
      '| step | tool | required | if it fails |',
      '| :--- | :--- | :--- | :--- |',
      '| find | search | yes | keywords, then text |',
      '| say | reply | no |  |',
    ]);
  });

  it('keeps to the sizes that the server takes, in whatever script', () => {
    const steps = Array.from({ length: 500 }, (_, index) => ({
      id: `${index}`,
      tool: '退款'.repeat(50),
    }));
    const notes = taskNotes({ steps });
    assert.ok(bytes(notes?.staticSummary) <= 200);
    assert.match(notes?.staticSummary ?? '', /^500 steps: 退款.*…$/);
    assert.ok(bytes(notes?.staticDetails) <= 8_000);
    const asked = loopNotes({ prompt: '😀'.repeat(10_000) });
    assert.ok(bytes(asked?.staticSummary) <= 200 && bytes(asked?.staticDetails) <= 8_000);
    assert.doesNotMatch(asked?.staticSummary ?? '', /\ufffd/);
  });

  it('lets no text of a task break its table', () => {
    const notes = taskNotes({ steps: [{ id: 'a|b', tool: 'two\nlines' }] });
    assert.match(notes?.staticDetails ?? '', /\n\| a\\\|b \| two lines \| yes \| {2}\|$/);
  });

  it('says nothing of what is no task, and never throws', () => {
    for (const task of [undefined, null, 'x', {}, { steps: 7 }, { steps: [] }, { steps: [null] }])
      assert.equal(taskNotes(task), undefined);
    assert.equal(taskNotes({ steps: [{}] })?.staticSummary, '1 step: undefined');
    for (const task of [undefined, {}, { prompt: 7 }, { messages: [] }, { messages: [null] }])
      assert.equal(loopNotes(task), undefined);
  });

  it('takes a loop’s prompt, or the last thing that was said', () => {
    assert.equal(
      loopNotes({ prompt: 'Where is\nmy parcel?' })?.staticSummary,
      'Where is my parcel?',
    );
    const messages = [
      { role: 'user', content: 'Hello' },
      { role: 'user', content: 'And now?' },
    ];
    assert.equal(loopNotes({ messages, tenant: 'acme' })?.staticDetails, 'For acme.\n\nAnd now?');
  });
});
