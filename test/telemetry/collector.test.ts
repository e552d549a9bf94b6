import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Runtime } from '@temporalio/worker';
import { installTelemetry, TelemetryError } from 'holdfast/telemetry';
import { createRecorder } from '../../src/telemetry/recorder.js';
import { startCollector } from '../support/collector.js';

describe('the metrics of a process with a collector', () => {
  it('go to its path, with its headers', async () => {
    const collector = await startCollector();
    const told = collector.told('holdfast_calls_in_flight');
    installTelemetry({ otlp: collector.url, headers: { authorization: 'Bearer key' } });
    const record = createRecorder(Runtime.instance().metricMeter);
    record('holdfast_calls_in_flight', { downstream: 'orders' });
    const { path, headers } = await told;
    collector.stop();
    assert.deepEqual([path, headers.authorization], ['/v1/metrics', 'Bearer key']);
  });

  it('go nowhere else from then on, which an error says without the headers', () => {
    const headers = { authorization: 'Bearer key' };
    assert.throws(
      () => installTelemetry({ headers, otlp: 'http://127.0.0.1:4317' }),
      (error: unknown) =>
        error instanceof TelemetryError &&
        error.message.includes('127.0.0.1:4317') &&
        !error.message.includes('Bearer'),
    );
  });
});
