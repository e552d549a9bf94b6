import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AnyTool, defineTool } from 'holdfast/contract';
import { z } from 'zod';
import { settledResult, settledResultFaults } from '../../src/contract/settled-result.js';

function toolOf(output: z.ZodType): AnyTool {
  return { ...defineTool({ ...base, output: z.string() }), output };
}

const base = {
  name: 'mail',
  description: 'Send a mail',
  input: z.object({}),
  effect: 'write',
  downstream: 'post',
} as const;

describe('a result that a person gives', () => {
  for (const [name, output, result, stands] of [
    ['null, where the tool answers nothing', z.void(), null, undefined],
    ['null, where the tool may answer it', z.string().nullable(), null, null],
    ['null, where the tool answers something', z.string(), null, null],
    ['a value', z.string(), 'sent', 'sent'],
  ] as const) {
    it(`stands for what the tool would have answered: ${name}`, () => {
      assert.equal(settledResult(toolOf(output), result), stands);
    });
  }

  it('may be null in the update where the tool answers nothing', () => {
    assert.deepEqual(settledResultFaults(toolOf(z.void()), null), []);
  });

  it('is refused with its field where the schema refuses it', () => {
    const [fault] = settledResultFaults(toolOf(z.object({ id: z.string() })), { nope: 1 });
    assert.equal(fault?.field, 'settlement.result of mail.id');
  });

  it('is refused in words where the schema itself throws', () => {
    const output = z.string().transform((): string => {
      throw new TypeError('out of order');
    });
    const [fault] = settledResultFaults(toolOf(output), 'x');
    assert.match(String(fault?.rule), /must be checkable: out of order/);
  });
});
