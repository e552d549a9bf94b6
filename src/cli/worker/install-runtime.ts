import { DefaultLogger, type LogEntry, type LogLevel, Runtime } from '@temporalio/worker';
import { installTelemetry, type MetricsTarget } from '../../telemetry/index.js';

/** What a worker's process tells, and where. */
export type RuntimeChoice = {
  readonly logLevel: LogLevel;
  /** Log lines as JSON. */
  readonly asJson: boolean;
  /** An address for Prometheus, or the URL of a collector. @default no metrics leave the process */
  readonly metrics: string | undefined;
};

/**
 * Installs what the process logs and measures with. Without metrics, a module that has installed a runtime of its own
 * keeps it.
 * @throws InvalidRequestError for metrics that are neither address nor URL
 * @throws TelemetryError where the address is taken, or where a runtime is there already
 */
export function installRuntime({ logLevel, asJson, metrics }: RuntimeChoice): void {
  const logger = new DefaultLogger(logLevel, asJson ? writeJson : undefined);
  const runtime = { logger, shutdownSignals: [] };
  if (metrics !== undefined) {
    installTelemetry({ ...targetOf(metrics), runtime });
    return;
  }
  try {
    Runtime.install(runtime);
  } catch (error) {
    if (!(error instanceof Error && error.name === 'IllegalStateError')) throw error;
  }
}

function targetOf(metrics: string): MetricsTarget {
  return metrics.includes('://') ? { otlp: metrics } : { prometheus: metrics };
}

function writeJson({ level, message, timestampNanos, meta }: LogEntry): void {
  const time = new Date(Number(timestampNanos / 1_000_000n)).toISOString();
  const { error, ...facts } = meta ?? {};
  const told =
    error instanceof Error ? { error: error.stack } : error === undefined ? {} : { error };
  process.stderr.write(`${JSON.stringify({ time, level, message, ...facts, ...told }, asText)}\n`);
}

/** JSON has no bigint. */
function asText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
