import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runProgram } from '../../src/lab/subprocess.js';

const node = (code: string) => ({ command: process.execPath, args: ['-e', code] });
const forever = node('setInterval(() => {}, 1000)');

describe('a program that is run', () => {
  it('ends with its exit code and what it said on both channels', async () => {
    const program = node("console.log('out'); console.error('err'); process.exitCode = 3;");
    const { code, output } = await runProgram({ ...program, timeoutMs: 60_000 });
    assert.equal(code, 3);
    assert.deepEqual(output.split('\n').sort(), ['err', 'out']);
  });

  it('keeps the end of a long output', async () => {
    const program = node("console.log('x'.repeat(100_000) + 'the end')");
    const { output } = await runProgram({ ...program, timeoutMs: 60_000 });
    assert.ok(output.length <= 4_000 && output.endsWith('the end'));
  });

  it('ends without a code when it is missing', async () => {
    const ended = await runProgram({ command: 'holdfast-no-such', args: [], timeoutMs: 60_000 });
    assert.equal(ended.code, null);
    assert.match(ended.output, /ENOENT/);
  });

  it('is ended at its limit', async () => {
    const ended = await runProgram({ ...forever, timeoutMs: 100 });
    assert.deepEqual(ended, { code: null, output: 'it took longer than 0.1 s' });
  });

  it('is ended when the caller gives it up, with the reason', async () => {
    const giveUp = (): string => 'its host gives no answer';
    const ended = await runProgram({ ...forever, timeoutMs: 60_000, giveUp });
    assert.deepEqual(ended, { code: null, output: 'its host gives no answer' });
  });

  it('is ended when the caller aborts', async () => {
    const stop = new AbortController();
    const running = runProgram({ ...forever, timeoutMs: 60_000, signal: stop.signal });
    stop.abort();
    assert.deepEqual(await running, { code: null, output: 'it was stopped' });
  });

  it('is not started when the caller has aborted before', async () => {
    const signal = AbortSignal.abort();
    const ended = await runProgram({ ...forever, timeoutMs: 60_000, signal });
    assert.equal(ended.code, null);
  });
});
