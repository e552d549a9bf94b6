import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { type OpenCall, unsharedCall } from '../../src/workflows/call-end.js';
import { stateOf } from '../../src/workflows/call-plan.js';
import { type RunContext, runContext } from '../../src/workflows/run-context.js';
import { tokenAllowance, tokensLeftOf } from '../../src/workflows/token-allowance.js';
import { plain } from './fixture/models.js';
import { look } from './fixture/tools.js';

const short = { messages: [{ role: 'user', content: 'Hi' }], maxOutputTokens: 50 };
const shortMost = JSON.stringify(short).length + 50;

describe('what failed attempts of a call may use', () => {
  let run: RunContext;

  /** A run of which failed attempts may use 1,000 tokens. */
  beforeEach(() => {
    run = runContext();
    run.policy = { tokens: { target: 10_000, retryPercent: 10 } };
    run.runSettings = undefined;
    run.state = undefined;
    run.open.clear();
    stateOf(run);
  });

  const open = (call: Partial<OpenCall>): void => {
    const number = run.open.size + 1;
    run.open.set(number, {
      ...unsharedCall({ call: number, step: undefined, tool: plain }),
      ...call,
    });
  };
  const waste = (tokens: number): void => {
    run.state = { ...stateOf(run), tokens: { useful: 0, wasted: tokens } };
  };

  it('is all that is left for a call that doesn’t say how long its answer may be', () => {
    waste(100);
    const allowance = tokenAllowance(run, { tool: plain, share: 2, input: { messages: [] } });
    assert.deepEqual(allowance, { share: 2, tokensLeft: 900, isOutOfTokens: false });
  });

  it('is what its retries use at most for a call that says so', () => {
    const { tokensLeft } = tokenAllowance(run, { tool: plain, share: 2, input: short });
    assert.equal(tokensLeft, 2 * shortMost);
  });

  it('is all that is left where only the worker knows how long the conversation is', () => {
    const input = { conversation: { head: 'a' }, maxOutputTokens: 1 };
    assert.equal(tokenAllowance(run, { tool: plain, share: 1, input }).tokensLeft, 1_000);
  });

  it('is what no other call of a model keeps', () => {
    open({ tokensLeft: 700 });
    assert.equal(tokensLeftOf(run), 300);
    assert.equal(tokenAllowance(run, { tool: look, share: 2, input: {} }).tokensLeft, 300);
  });

  it('is kept by no call of a tool without a model', () => {
    open({ tool: look, tokensLeft: 1_000 });
    assert.equal(tokensLeftOf(run), 1_000);
  });

  it('is nothing, and no retry, once everything is used', () => {
    waste(1_000);
    const allowance = tokenAllowance(run, { tool: plain, share: 2, input: short });
    assert.deepEqual(allowance, { share: 0, tokensLeft: 0, isOutOfTokens: true });
  });

  it('takes no retry from a tool without a model once everything is used', () => {
    waste(1_000);
    assert.equal(tokenAllowance(run, { tool: look, share: 2, input: {} }).share, 2);
  });

  it('takes no retry while others only keep the tokens: what fails without any may be sent again', () => {
    open({ tokensLeft: 1_000 });
    const allowance = tokenAllowance(run, { tool: plain, share: 2, input: short });
    assert.deepEqual(allowance, { share: 2, tokensLeft: 0, isOutOfTokens: false });
  });

  it('blames no tokens where the plan has no retry for the call', () => {
    waste(1_000);
    const { isOutOfTokens } = tokenAllowance(run, { tool: plain, share: 0, input: short });
    assert.equal(isOutOfTokens, false);
  });
});
