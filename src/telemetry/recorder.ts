import type { MetricMeter } from '@temporalio/common';
import { assertNever } from '../budget/assert-never.js';
import { type Labels, type Metric, type MetricName, metrics } from './metrics.js';

/** Adds a value to a metric of the table, 1 where none is given. */
export type Recorder = <N extends MetricName>(name: N, labels: Labels<N>, value?: number) => void;

type Write = (value: number, labels: Readonly<Record<string, string>>) => void;

/** Keeps nothing: where no worker runs. */
export const recordNothing: Recorder = () => {};

/** Makes a recorder over a meter of the SDK's; in a workflow that one leaves out what is replayed. */
export function createRecorder(meter: MetricMeter): Recorder {
  const writers = new Map<MetricName, Write>();
  return (name, labels, value = 1) => {
    const write = writers.get(name) ?? writer(meter, name, metrics[name]);
    writers.set(name, write);
    write(value, labels);
  };
}

function writer(meter: MetricMeter, name: string, metric: Metric): Write {
  const { kind, unit, description } = metric;
  switch (kind) {
    case 'counter': {
      const counter = meter.createCounter(name, unit, description);
      return (value, labels) => counter.add(value, labels);
    }
    case 'histogram': {
      const histogram = meter.createHistogram(name, 'float', unit, description);
      return (value, labels) => histogram.record(value, labels);
    }
    case 'gauge': {
      const gauge = meter.createGauge(name, 'int', unit, description);
      return (value, labels) => gauge.set(value, labels);
    }
    case 'up-down': {
      const sum = meter.createUpDownCounter?.(name, unit, description);
      return (value, labels) => sum?.add(value, labels);
    }
    default:
      return assertNever(kind);
  }
}
