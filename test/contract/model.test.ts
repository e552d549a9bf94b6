import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineModel, type ModelOutput } from 'holdfast/contract';
import { faultsOf } from './faults.js';

describe('a model', () => {
  it('is a read of the activity model_generate under its own name and downstream', () => {
    const fast = defineModel({ name: 'fast' });
    assert.equal(fast.name, 'model_generate');
    assert.equal(fast.model, 'fast');
    assert.equal(fast.downstream, 'model:fast');
    assert.equal(fast.effect, 'read');
    assert.equal(fast.attemptTimeoutMs, 90_000);
  });

  it('keeps what its definition says over the defaults', () => {
    const slow = defineModel({ name: 'slow', downstream: 'vendor', attemptTimeoutMs: 5_000 });
    assert.equal(slow.downstream, 'vendor');
    assert.equal(slow.attemptTimeoutMs, 5_000);
  });

  it('is refused under a name that policies and steps could not say', () => {
    const faults = faultsOf(() => defineModel({ name: 'vendor/fast' }));
    assert.deepEqual(
      faults.map(({ field }) => field),
      ['tools.vendor/fast.model'],
    );
  });

  it('lets a text stand in for its answer', () => {
    const fast = defineModel({ name: 'fast', fallback: { text: 'We are busy.' } });
    const answer: ModelOutput = fast.output.parse({ text: 'We are busy.' });
    assert.deepEqual(answer, {
      text: 'We are busy.',
      toolCalls: [],
      finishReason: 'other',
      usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
      model: null,
    });
  });

  it('refuses a message that has no known role', () => {
    const fast = defineModel({ name: 'fast' });
    assert.equal(
      fast.input.safeParse({ messages: [{ role: 'robot', content: '' }] }).success,
      false,
    );
  });
});
