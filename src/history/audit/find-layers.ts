import type { Audit } from './audit.js';
import type { Finding } from './finding.js';
import { named } from './named.js';
import { moreAttempts, type WorkflowSums } from './workflow-sums.js';

/** A layer of retries: who retries, and how often at most (Infinity without limit). */
type Layer = { readonly name: string; readonly attempts: number };

/**
 * Returns a finding for each type of workflow whose activities are retried while it, or one that it is a child
 * of, is retried as a whole. Calls that a gate owns aren't meant: runs of a retry share one budget.
 */
export function findLayers(audit: Audit): readonly Finding[] {
  return Object.entries(audit.workflows).flatMap(([type, sums]) => layersOf(audit, type, sums));
}

function layersOf(audit: Audit, type: string, sums: WorkflowSums): readonly Finding[] {
  const outer = outerLayers(audit, type, new Set());
  const steps = Object.entries(sums.steps).filter(([, step]) => step.mostAttempts !== null);
  const retried = steps.filter(([, { mostAttempts }]) => mostAttempts !== 1);
  if (outer.length === 0 || retried.length === 0) return [];
  const most = retried.reduce((limit, [, step]) => moreAttempts(limit, step.mostAttempts ?? 1), 1);
  const layers = [...outer, { name: 'its activities', attempts: limitOf(most) }];
  const attempts = layers.reduce((product, layer) => product * layer.attempts, 1);
  const retries = retried.reduce((sum, [, step]) => sum + step.retries, 0);
  const again = sums.again.count;
  const product = layers.map((layer) => `${layer.name} ${countText(layer.attempts)}`).join(' x ');
  const largest = attempts === Infinity ? 'without limit' : `up to ${attempts}`;
  return [
    {
      kind: 'layered-retries',
      severity: retries > 0 && again > 0 ? 'high' : 'medium',
      subject: type,
      what: `Layers of retries multiply: ${product} attempts, so ${largest} for one call of ${retried.map(([name]) => name).join(', ')}.`,
      setting: `no retry policy for the workflow ${outer.map(({ name }) => name).join(' and ')}: let its activities own the retries`,
      evidence: {
        product,
        mostAttempts: attempts === Infinity ? 'unlimited' : attempts,
        runsAgain: again,
        activityRetries: retries,
      },
      examples: (again > 0 ? sums.again : sums.seen).examples,
      wastedAttempts: again > 0 ? retries : 0,
      wastedMicros: 0,
    },
  ];
}

/** The retried workflows on the way from the outermost one that multiplies the most. */
function outerLayers(audit: Audit, type: string, seen: ReadonlySet<string>): readonly Layer[] {
  const sums = named(audit.workflows, type);
  if (sums === undefined || seen.has(type)) return []; // a workflow may be its own grandchild
  const onTheWay = new Set([...seen, type]);
  const above = sums.parents
    .map((parent) => outerLayers(audit, parent, onTheWay))
    .reduce((one, other) => (product(other) > product(one) ? other : one), []);
  const attempts = limitOf(sums.mostAttempts);
  return attempts === 1 ? above : [...above, { name: type, attempts }];
}

function product(layers: readonly Layer[]): number {
  return layers.reduce((so, { attempts }) => so * attempts, 1);
}

function limitOf(attempts: number): number {
  return attempts === 0 ? Infinity : attempts;
}

function countText(attempts: number): string {
  return attempts === Infinity ? 'unlimited' : String(attempts);
}
