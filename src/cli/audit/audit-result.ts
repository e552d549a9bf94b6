import { type ActivityFigures, activityFigures } from '../../history/audit/activity-figures.js';
import type { Audit } from '../../history/audit/audit.js';
import { type Chain, chainNodes } from '../../history/audit/chain-nodes.js';
import type { AuditOptions, Finding } from '../../history/audit/finding.js';
import { findings } from '../../history/audit/findings.js';
import type { SavedAudit } from './saved-audit.js';

/** What an audit says, as its table, its page and JSON show it. */
export type AuditResult = Pick<
  Audit,
  'runs' | 'governedRuns' | 'events' | 'statuses' | 'firstStartedAt' | 'lastStartedAt' | 'beyond'
> & {
  readonly source: string;
  /** False where a limit ended it: the next call with its state goes on. */
  readonly isDone: boolean;
  /** Histories that could not be read. */
  readonly skipped: number;
  readonly activities: readonly ActivityFigures[];
  /** The one that matters most first. */
  readonly findings: readonly Finding[];
  /** The calls of one type of workflow for the planner; null without any. */
  readonly chain: Chain | null;
};

/** Returns what was learned so far, with all that is found in it. */
export function auditResult(
  { source, isDone, skipped, audit }: SavedAudit,
  options: AuditOptions & { readonly workflowType?: string },
): AuditResult {
  const { runs, governedRuns, events, statuses, firstStartedAt, lastStartedAt, beyond } = audit;
  return {
    source,
    isDone,
    skipped,
    runs,
    governedRuns,
    events,
    statuses,
    firstStartedAt,
    lastStartedAt,
    beyond,
    activities: activityFigures(audit, options),
    findings: findings(audit, options),
    chain: chainNodes(audit, options) ?? null,
  };
}
