import type { Audit } from './audit.js';
import { findBreaker } from './find-breakers.js';
import { findLayers } from './find-layers.js';
import { findLimits } from './find-limits.js';
import { findWaste } from './find-waste.js';
import { findWrites } from './find-writes.js';
import { type AuditOptions, byRank, type Finding } from './finding.js';

/** Returns every fault that the histories show, the one that matters most first. */
export function findings(audit: Audit, options: AuditOptions): readonly Finding[] {
  const ofActivities = Object.entries(audit.activities).flatMap(([name, sums]) => [
    ...findLimits(name, sums),
    ...findWrites(name, sums, options),
    ...findWaste(name, sums, { audit, options }),
  ]);
  const ofDownstreams = Object.entries(audit.downstreams).flatMap(([name, sums]) =>
    findBreaker(name, sums, options),
  );
  return [...ofActivities, ...ofDownstreams, ...findLayers(audit)].sort(byRank);
}
