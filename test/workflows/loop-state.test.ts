import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { reachedLimit } from '../../src/workflows/loop-limits.js';
import {
  afterCalls,
  type CallEnd,
  initialLoop,
  type LoopState,
} from '../../src/workflows/loop-state.js';

const start = initialLoop({ append: [], reserved: 0, lastAnswerMs: 1_000 });
const limits = { maxTurns: 20, maxCallsPerTurn: 16, lastAnswerMs: 1_000 };

const kinds = ['answered', 'repeated', 'rejected', 'exhausted', 'bad', 'ended'] as const;

function end(callId: string, tool: string, kind: CallEnd['kind']): CallEnd {
  const message = { role: 'tool' as const, toolCallId: callId, toolName: tool, output: kind };
  return { callId, tool, kind, item: { kind: 'message', message } };
}

/** Ids of the calls that stand in a conversation after turns. */
function standing(turns: readonly (readonly CallEnd[])[]): {
  readonly state: LoopState;
  readonly ids: ReadonlySet<string>;
} {
  const ids = new Set<string>();
  let state = start;
  for (const ends of turns) {
    state = afterCalls({ ...state, turns: state.turns + 1 }, ends);
    for (const { callId } of ends) ids.add(callId);
    for (const id of state.dropped) ids.delete(id);
  }
  return { state, ids };
}

describe('the state of a loop', () => {
  it('has one entry at most of each tool that is exhausted, and loses no other call', () => {
    const one = fc.record({ tool: fc.constantFrom('a', 'b'), kind: fc.constantFrom(...kinds) });
    const turn = fc.array(one, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 8 }), (drawn) => {
        const turns = drawn.map((calls, number) =>
          calls.map(({ tool, kind }, index) => end(`${number}.${index}`, tool, kind)),
        );
        const { ids } = standing(turns);
        const all = turns.flat();
        for (const tool of ['a', 'b']) {
          const entries = all.filter(
            ({ callId, kind, tool: own }) =>
              own === tool && ids.has(callId) && (kind === 'rejected' || kind === 'exhausted'),
          );
          assert.ok(entries.length <= 1);
        }
        const others = all.filter(({ kind }) => kind !== 'rejected' && kind !== 'exhausted');
        assert.ok(others.every(({ callId }) => ids.has(callId)));
      }),
    );
  });

  it('counts no turn of which all calls were rejected', () => {
    const { state } = standing([
      [end('1', 'a', 'rejected'), end('2', 'b', 'rejected')],
      [end('3', 'a', 'rejected'), end('4', 'b', 'answered')],
    ]);
    assert.deepEqual([state.turns, state.rejectedTurns], [1, 0]);
  });

  it('withdraws a tool that gave no answer in five turns in a row, and no other', () => {
    const failing = (number: number) => [
      end(`${number}a`, 'a', 'exhausted'),
      end(`${number}b`, 'b', number === 3 ? 'answered' : 'exhausted'),
    ];
    const { state } = standing([1, 2, 3, 4, 5].map(failing));
    assert.deepEqual(state.withdrawn, ['a']);
  });

  it('says of an effect that was tried again how it ended last', () => {
    const effect = (kind: 'unknown' | 'ok', key: string) => ({ tool: 'pay', kind, key });
    const { state } = standing([
      [
        { ...end('1', 'pay', 'ended'), effect: effect('unknown', 'k1') },
        { ...end('2', 'pay', 'ended'), effect: effect('unknown', 'k2') },
      ],
      [{ ...end('3', 'pay', 'answered'), effect: effect('ok', 'k1') }],
    ]);
    assert.deepEqual(state.effects, [effect('unknown', 'k2'), effect('ok', 'k1')]);
  });

  it('stays small however long the loop goes on', () => {
    const turns = Array.from({ length: 2_000 }, (_, number) => [
      {
        ...end(`call-${number}`, 'a', 'answered' as const),
        result: { key: `${number}`.padStart(64, '0'), hash: `${number}`.padStart(64, 'f') },
        effect: { tool: 'a', kind: 'ok' as const, input: { number } },
      },
    ]);
    const { state } = standing(turns);
    assert.ok(JSON.stringify(state).length < 64_000);
  });
});

describe('the limits of a loop', () => {
  for (const [name, state, more, timeLeftMs, reached] of [
    ['the last turn is for the last answer', { turns: 19 }, {}, 9_000, 'turns'],
    ['the turn before it is free', { turns: 18 }, {}, 9_000, undefined],
    ['time is kept', {}, {}, 1_000, 'deadline'],
    ['a run without a deadline goes on', {}, {}, Number.POSITIVE_INFINITY, undefined],
    ['two answers fit', { tokens: 60, lastTokens: 20 }, { maxTokens: 100 }, 9_000, undefined],
    ['one answer fits', { tokens: 61, lastTokens: 20 }, { maxTokens: 100 }, 9_000, 'tokens'],
    ['money for two', { cost: 60, lastCost: 20 }, { maxCostMicros: 100 }, 9_000, undefined],
    ['money for one', { cost: 61, lastCost: 20 }, { maxCostMicros: 100 }, 9_000, 'cost'],
  ] as const) {
    it(`are reached before they are passed: ${name}`, () => {
      const at = { ...start, ...state };
      assert.equal(reachedLimit(at, { ...limits, ...more }, timeLeftMs), reached);
    });
  }
});
