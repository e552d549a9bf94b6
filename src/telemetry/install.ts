import { isIP } from 'node:net';
import {
  type MetricsExporterConfig,
  Runtime,
  type RuntimeOptions,
  type TelemetryOptions,
} from '@temporalio/worker';
import { HoldfastError, throwFaults } from '../budget/errors.js';
import { type Metric, metrics } from './metrics.js';

/** Where the metrics of this process go: one place. */
export type MetricsTarget =
  /** Address that Prometheus scrapes, such as `127.0.0.1:9464`; an IPv6 one in brackets. */
  | { readonly prometheus: string }
  | {
      /** URL of an OpenTelemetry collector, by gRPC, or by HTTP where the path says so. */
      readonly otlp: string;
      /** What goes with each request, such as `{ authorization: 'Bearer …' }`. @default nothing */
      readonly headers?: Readonly<Record<string, string>> | undefined;
    };

/** What the process tells, and the other options of Temporal's runtime. */
export type TelemetryInstallation = MetricsTarget & {
  /** @default the runtime's own */
  readonly runtime?: Omit<RuntimeOptions, 'telemetryOptions'> & {
    readonly telemetryOptions?: Omit<TelemetryOptions, 'metrics'>;
  };
};

/** Metrics can't be exported: the address is taken, or a runtime was there before. */
export class TelemetryError extends HoldfastError {
  readonly kind = 'telemetry';

  constructor(message: string, cause: unknown) {
    super(message, { cause });
  }
}

/**
 * Exports the metrics of holdfast, and Temporal's own, from here on. Call it once, before the first worker of the
 * process is made: Temporal's runtime is one per process, and is made by whatever asks for it first.
 * @throws InvalidRequestError for an address or a URL that is none
 * @throws TelemetryError where the address is taken, or where the runtime is there already
 */
export function installTelemetry({ runtime = {}, ...target }: TelemetryInstallation): void {
  const exporter = 'prometheus' in target ? prometheus(target.prometheus) : otlp(target);
  const { telemetryOptions, ...others } = runtime;
  try {
    Runtime.install({ ...others, telemetryOptions: { ...telemetryOptions, metrics: exporter } });
  } catch (error) {
    throw new TelemetryError(
      `The metrics can't be exported to ${JSON.stringify('prometheus' in target ? target.prometheus : target.otlp)}: ` +
        `${error instanceof Error ? error.message : String(error)}. Call installTelemetry before the first ` +
        'worker is made, with an address that no other process listens on.',
      error,
    );
  }
}

function prometheus(bindAddress: string): MetricsExporterConfig {
  const rule = 'must be an IP address and a port, such as 127.0.0.1:9464';
  if (!isAddress(bindAddress)) throwFaults([{ field: 'prometheus', rule, value: bindAddress }]);
  return { prometheus: { bindAddress, histogramBucketOverrides } };
}

function otlp({
  otlp: url,
  headers = {},
}: Exclude<MetricsTarget, { readonly prometheus: string }>): MetricsExporterConfig {
  const rule = 'must be the URL of a collector, such as http://127.0.0.1:4317';
  if (!isUrl(url)) throwFaults([{ field: 'otlp', rule, value: url }]);
  const http = new URL(url).pathname.length > 1; // gRPC has no path
  return { otel: { url, http, headers: { ...headers }, histogramBucketOverrides } };
}

function isAddress(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  const [, host = '', port = ''] = /^(.*):(\d{1,5})$/.exec(text) ?? [];
  const ip = /^\[(.*)\]$/.exec(host);
  return (ip === null ? isIP(host) === 4 : isIP(ip[1] ?? '') === 6) && Number(port) <= 65_535;
}

function isUrl(text: unknown): boolean {
  if (typeof text !== 'string' || !URL.canParse(text)) return false;
  return ['http:', 'https:', 'grpc:', 'grpcs:'].includes(new URL(text).protocol);
}

const table: readonly (readonly [string, Metric])[] = Object.entries(metrics);

/** The SDK's own buckets are made for its own latencies. */
const histogramBucketOverrides = Object.fromEntries(
  table.flatMap(([name, { buckets }]) => (buckets === undefined ? [] : [[name, [...buckets]]])),
);
