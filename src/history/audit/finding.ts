/** How much a finding matters, the worst first. */
export const severities = ['high', 'medium', 'low'] as const;

/** `high`: harm is done or can't be undone. `medium`: it waits for a bad day. `low`: worth a look. */
export type Severity = (typeof severities)[number];

/** What a finding is about. */
export type FindingKind =
  | 'layered-retries'
  | 'unlimited-retries'
  | 'no-start-to-close'
  | 'no-heartbeat'
  | 'write-without-key'
  | 'futile-retries'
  | 'breaker-never-opened'
  | 'retry-rate'
  | 'token-waste';

/** A fault of settings, with what shows it and the setting to change. */
export type Finding = {
  readonly kind: FindingKind;
  readonly severity: Severity;
  /** The type of activity or workflow, or the downstream. */
  readonly subject: string;
  /** What is wrong, in a sentence with figures. */
  readonly what: string;
  /** The setting to change, and to what. */
  readonly setting: string;
  readonly evidence: Readonly<Record<string, number | string>>;
  /** Ids of a few workflows that show it. */
  readonly examples: readonly string[];
  /** Attempts that were made for nothing, as far as this finding goes. */
  readonly wastedAttempts: number;
  /** What these cost in millionths of a currency unit; 0 where no price is known. */
  readonly wastedMicros: number;
};

/** What an audit is told besides histories. */
export type AuditOptions = {
  /** Types of activity that change something, whatever their names. */
  readonly writes: readonly string[];
  /** Price of an attempt by type of activity, in millionths of a currency unit. */
  readonly costMicros: ReadonlyMap<string, number>;
  /** Failures in a row that open a run's breaker. */
  readonly threshold: number;
};

/** Orders findings: severity first, then money wasted, then attempts wasted, then by name. */
export function byRank(one: Finding, other: Finding): number {
  return (
    severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
    other.wastedMicros - one.wastedMicros ||
    other.wastedAttempts - one.wastedAttempts ||
    compareTexts(one.kind, other.kind) ||
    compareTexts(one.subject, other.subject)
  );
}

/** Returns a share as a percentage with a digit after the point. */
export function percentText(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** By code units, so that the order is the same on every machine. */
function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
