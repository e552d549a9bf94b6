export {
  installTelemetry,
  type MetricsTarget,
  TelemetryError,
  type TelemetryInstallation,
} from './install.js';
export { type Labels, type Metric, type MetricName, metrics } from './metrics.js';
