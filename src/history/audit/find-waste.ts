import { isTellingType } from '../telling-type.js';
import { attemptCostMicros, intervalOf, retriesOf } from './activity-figures.js';
import type { ActivitySums } from './activity-sums.js';
import type { Audit } from './audit.js';
import type { Grouped } from './effective-trials.js';
import { type AuditOptions, type Finding, percentText } from './finding.js';

/** Spec.md section 11: retries above this share of all attempts are too many, wasted tokens above the other. */
const mostRetryShare = 0.1;
const mostTokenShare = 0.15;
/** From this share on every second attempt is a retry, or wasted. */
const badShare = 0.5;
/** Fewer calls that were retried, or wasted tokens, are no rate. */
const fewCalls = 3;

/** Returns what a type of activity spends for nothing. */
export function findWaste(
  subject: string,
  sums: ActivitySums,
  context: { readonly audit: Audit; readonly options: AuditOptions },
): readonly Finding[] {
  const priceMicros = attemptCostMicros(subject, sums, context.options) ?? 0;
  return [
    ...futileRetries(subject, sums, { priceMicros, audit: context.audit }),
    ...retryRate(subject, sums, priceMicros),
    ...tokenWaste(subject, sums),
  ];
}

function futileRetries(
  subject: string,
  sums: ActivitySums,
  { priceMicros, audit }: { readonly priceMicros: number; readonly audit: Audit },
): readonly Finding[] {
  const { futileRetries: futile, futileErrors, mendableTypes } = sums;
  if (futile === 0) return [];
  const all = Object.values(audit.activities).reduce((sum, other) => sum + retriesOf(other), 0);
  const own = retriesOf(sums);
  const ofAll = all === 0 ? 0 : futile / all;
  const errors = futileErrors.map(({ type, class: found }) =>
    isTellingType(type) && !mendableTypes.includes(type)
      ? { name: type, type }
      : { name: found, type: null },
  );
  return [
    {
      kind: 'futile-retries',
      severity: futile / own >= badShare ? 'high' : 'medium',
      subject,
      what: `${futile} of ${own} retries were spent on errors that no retry mends (${[...new Set(errors.map(({ name }) => name))].join(', ')}): ${percentText(ofAll)} of all retries.`,
      setting: stopSetting(errors.flatMap(({ type }) => type ?? [])),
      evidence: { retries: own, futile, shareOfAllRetries: ofAll, unjudged: sums.unjudgedRetries },
      examples: sums.futile.examples,
      wastedAttempts: futile,
      wastedMicros: Math.round(futile * priceMicros),
    },
  ];
}

/** Whoever names a type that other failures have, too, has them no longer retried either. */
function stopSetting(types: readonly string[]): string {
  const thrown =
    'throw ApplicationFailure.nonRetryable, with a type of its own, for what no retry mends';
  if (types.length === 0) return thrown;
  const names = [...new Set(types)].map((type) => `'${type}'`).join(', ');
  return `retry.nonRetryableErrorTypes: [${names}], or ${thrown}`;
}

/** Few calls show nothing: the interval of the share has to lie above the limit as a whole. */
function retryRate(subject: string, sums: ActivitySums, priceMicros: number): readonly Finding[] {
  const attempts = sums.made.reduce((sum, made) => sum + made, 0);
  const retries = retriesOf(sums);
  const share = intervalOf({ hits: retries, trials: attempts }, retriesByCall(sums.byCall));
  if (sums.retried.count < fewCalls || share.low <= mostRetryShare) return [];
  return [
    {
      kind: 'retry-rate',
      severity: share.low >= badShare ? 'high' : 'medium',
      subject,
      what: `${percentText(retries / attempts)} of its ${attempts} attempts are retries (at least ${percentText(share.low)} with 95 % confidence; the limit is 10 %).`,
      setting:
        "a retry budget: holdfast's ratio { percent: 10 } for its downstream, or fewer attempts (retry.maximumAttempts)",
      evidence: { attempts, retries, share: retries / attempts, low: share.low, high: share.high },
      examples: sums.retried.examples,
      wastedAttempts: retries,
      wastedMicros: Math.round(retries * priceMicros),
    },
  ];
}

/** Of each call all attempts but the first one: the sums of `trials - 1` follow from those of `trials`. */
function retriesByCall({ groups, trials, trialsSquared, ...rest }: Grouped): Grouped {
  return {
    ...rest,
    groups,
    trials,
    trialsSquared,
    hits: trials - groups,
    hitsSquared: trialsSquared - 2 * trials + groups,
    products: trialsSquared - trials,
  };
}

function tokenWaste(subject: string, sums: ActivitySums): readonly Finding[] {
  const { useful, wasted } = sums.tokens;
  const share = useful + wasted === 0 ? 0 : wasted / (useful + wasted);
  if (sums.wasteful.count < fewCalls || share <= mostTokenShare) return [];
  return [
    {
      kind: 'token-waste',
      severity: share >= badShare ? 'high' : 'medium',
      subject,
      what: `${percentText(share)} of its ${useful + wasted} tokens were used by attempts that failed (early warning: 15 %).`,
      setting:
        "the policy's tokens: { retryPercent: 10 }, and a fallback that asks a cheaper model or none",
      evidence: { tokensUseful: useful, tokensWasted: wasted, share },
      examples: sums.wasteful.examples,
      wastedAttempts: 0, // counted by the rate of retries
      wastedMicros: sums.costWastedMicros,
    },
  ];
}
