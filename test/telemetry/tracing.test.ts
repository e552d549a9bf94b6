import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import {
  bundleWorkflowCode,
  DefaultLogger,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import { holdfast } from 'holdfast';
import { replayState } from 'holdfast/testing';
import { createTracing } from 'holdfast/tracing';
import { keptBundle } from '../support/kept-bundle.js';
import { readRecording } from '../support/recording.js';
import { policyModule } from '../support/replay-bundle.js';
import { type Rig, startRig } from '../support/rig.js';
import { projectFile } from '../support/root.js';
import { implementations } from './fixture/implementations.js';
import type { play } from './fixture/workflows.js';

const exporter = new InMemorySpanExporter();
const tracing = createTracing({ spanProcessor: new SimpleSpanProcessor(exporter) });

describe('a traced task', () => {
  let rig: Rig;
  let spans: readonly ReadableSpan[];
  let history: object;
  const ofName = (name: string): readonly ReadableSpan[] =>
    spans.filter((span) => span.name === name);
  const idOf = (span: ReadableSpan | undefined): string | undefined => span?.spanContext().spanId;

  before(async () => {
    rig = await startRig({
      workflows: 'test/telemetry/fixture/workflows.js',
      implementations: implementations(() => {}),
      tracing,
    });
    const handle = await rig.client.workflow.start<typeof play>('play', {
      taskQueue: rig.taskQueue,
      workflowId: rig.id('traced'),
      args: [
        {
          calls: [
            { tool: 'lookUp', id: 'a', ends: ['server', 'ok'] },
            { tool: 'pay', id: 'b', ends: ['ok'] },
          ],
        },
      ],
    });
    await handle.result();
    history = await handle.fetchHistory();
    await rig.worker.stop(); // what it still had to tell is told
    spans = exporter.getFinishedSpans();
  });
  after(() => rig?.stop());

  it('is one trace from the start to its attempts', () => {
    const traces = spans
      .filter(({ name }) => !name.startsWith('GetWorkflow'))
      .map((span) => span.spanContext().traceId);
    assert.equal(new Set(traces).size, 1, spans.map(({ name }) => name).join());
    const [start] = ofName('StartWorkflow:play');
    const [run] = ofName('RunWorkflow:play');
    const [call] = ofName('StartActivity:look_up');
    assert.ok(start && run && call);
    assert.equal(run.parentSpanId, idOf(start));
    assert.equal(call.parentSpanId, idOf(run));
    const attempts = ofName('RunActivity:look_up');
    assert.deepEqual(
      attempts.map(({ parentSpanId }) => parentSpanId),
      [idOf(call), idOf(call)],
    );
  });

  it('says on each attempt which tool and downstream it was, which attempt, and how it ended', () => {
    const said = ofName('RunActivity:look_up').map(({ attributes }) => [
      attributes['holdfast.tool'],
      attributes['holdfast.downstream'],
      attributes['holdfast.attempt'],
      attributes['holdfast.outcome'],
    ]);
    assert.deepEqual(said, [
      ['look_up', 'catalogue', 1, 'server'],
      ['look_up', 'catalogue', 2, 'success'],
    ]);
  });

  it('holds the calls of a handler, too', async () => {
    const worker = await rig.startWorker();
    const handle = await rig.client.workflow.start('answers', {
      taskQueue: rig.taskQueue,
      workflowId: rig.id('asked'),
    });
    await handle.executeUpdate('ask');
    await handle.result();
    await worker.stop();
    const all = exporter.getFinishedSpans();
    const [start] = all.filter(({ name }) => name === 'StartWorkflow:answers');
    const { traceId } = start?.spanContext() ?? {};
    const names = all
      .filter((span) => span.spanContext().traceId === traceId)
      .map(({ name }) => name.split(':')[0]);
    assert.deepEqual(names.sort(), [
      'RunActivity',
      'RunWorkflow',
      'StartActivity',
      'StartWorkflow',
    ]);
  });

  it('replays without a span, with tracing and without', async () => {
    const before = exporter.getFinishedSpans().length;
    const { bundle: workflowBundle, plugin } = rig;
    assert.ok(await replayState({ plugin, workflowBundle, history }));
    assert.equal(exporter.getFinishedSpans().length, before);
    const untraced = holdfast();
    const bundle = await keptBundle({
      workflows: 'test/telemetry/fixture/workflows.js',
      policyModule: undefined,
      plugin: untraced,
    });
    assert.ok(await replayState({ plugin: untraced, workflowBundle: bundle, history }));
  });
});

// Those in which one await more or less would change the order of commands: each replay loads OpenTelemetry anew.
const timed = [
  'activity-and-timer',
  'parallel',
  'plain-patched',
  'plain-started-by-plugin',
  'plain-ungoverned',
  'continue-as-new-2',
  'child-slice-1',
  'saga-undone',
  'worker-lost',
] as const;

describe('a history from before tracing', () => {
  const plugin = holdfast({ policyModule, tracing });
  let bundle: WorkflowBundleWithSourceMap;

  before(async () => {
    bundle = await bundleWorkflowCode({
      workflowsPath: projectFile('dist/test/replay/fixture/workflows.js'),
      plugins: [plugin],
      logger: new DefaultLogger('ERROR'),
    });
  });

  for (const name of timed) {
    it(`replays to the same state under it: ${name}`, async () => {
      const { history, workflowId, state } = await readRecording(name);
      const traced = await replayState({ plugin, workflowBundle: bundle, history, workflowId });
      assert.deepEqual(traced, state);
    });
  }
});
