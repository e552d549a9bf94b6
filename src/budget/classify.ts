import { type Evidence, gatherEvidence } from './classify-evidence.js';
import { firstMatch, outrankingRules, type Rule, statuslessRules } from './classify-rules.js';
import type { Classification, ClassifyInput, ErrorClass } from './classify-types.js';
import { bucketHint } from './hints-buckets.js';

type Verdict = { readonly retryable: boolean; readonly fallback: boolean };

/** What each class means unless a rule says otherwise. */
const classDefaults: Readonly<Record<ErrorClass, Verdict>> = {
  server: { retryable: true, fallback: false },
  network: { retryable: true, fallback: false },
  overloaded: { retryable: true, fallback: true },
  timeout: { retryable: true, fallback: false },
  'rate-limit': { retryable: true, fallback: false },
  quota: { retryable: false, fallback: true },
  conflict: { retryable: true, fallback: false },
  unknown: { retryable: false, fallback: false },
  auth: { retryable: false, fallback: true },
  'invalid-request': { retryable: false, fallback: false },
  'not-found': { retryable: false, fallback: false },
  'context-length': { retryable: false, fallback: true },
  'content-filter': { retryable: false, fallback: true },
  validation: { retryable: false, fallback: false },
  cancelled: { retryable: false, fallback: false },
};

/** Returns what a class means by its name alone; undefined where the name is no class's. */
export function classVerdict(
  name: string,
): Pick<Classification, 'class' | 'retryable'> | undefined {
  if (!Object.hasOwn(classDefaults, name)) return undefined;
  const found = name as ErrorClass; // hasOwn has just found it
  return { class: found, retryable: classDefaults[found].retryable };
}

/** The class of each status where nothing better is known. */
const statusRules: Readonly<Record<number, Rule>> = {
  400: { class: 'invalid-request' },
  401: { class: 'auth' },
  402: { class: 'quota' },
  403: { class: 'auth' },
  404: { class: 'not-found' },
  408: { class: 'timeout' },
  409: { class: 'conflict' },
  413: { class: 'context-length' },
  422: { class: 'invalid-request' },
  425: { class: 'conflict' },
  429: { class: 'rate-limit' },
  // What the server can't do at all it won't do at the next attempt.
  501: { class: 'server', retryable: false },
  504: { class: 'timeout' },
  505: { class: 'server', retryable: false },
  522: { class: 'timeout' },
  524: { class: 'timeout' },
  // Cloudflare's word for an origin certificate that it can't trust.
  526: { class: 'server', retryable: false },
  529: { class: 'overloaded' },
};

/** Up to here a hint is a throttle to wait for; past it a fallback is offered as well. */
const patienceMs = 600_000;
/** Past this a limit is a quota: nobody waits for it. */
const quotaFromMs = 3_600_000;

/** Classes that a server's word to retry doesn't move: it can't make the request fit or be paid. */
const deafToRetry: ReadonlySet<ErrorClass> = new Set([
  'quota',
  'context-length',
  'content-filter',
  'cancelled',
]);

function ruleForStatus(status: number | null): Rule {
  if (status === null) return { class: 'unknown' };
  return statusRules[status] ?? { class: status >= 500 ? 'server' : 'invalid-request' };
}

function findRule(evidence: Evidence): Rule {
  const outranking = firstMatch(outrankingRules, evidence);
  if (outranking !== undefined) return outranking;
  if (evidence.status !== null) return ruleForStatus(evidence.status);
  return firstMatch(statuslessRules, evidence) ?? ruleForStatus(null);
}

/** The hint that goes with a rule; the resets of rate limits count only for limits. */
function hintFor(rule: Rule, evidence: Evidence): number | null {
  if (rule.hint === 'none') return null;
  const isLimit = ['rate-limit', 'quota', 'overloaded'].includes(rule.class);
  const reset = isLimit ? bucketHint(evidence.headers, evidence.clockMs) : undefined;
  return evidence.hintMs ?? reset ?? rule.hint?.defaultMs ?? null;
}

/** A server that asks for a long wait is out of something, whatever it calls it. */
function classByHint(found: ErrorClass, hintMs: number): ErrorClass {
  if (hintMs > quotaFromMs) return 'quota';
  return found === 'overloaded' || found === 'quota' ? found : 'rate-limit';
}

function judge(rule: Rule, evidence: Evidence): Classification {
  const defaults = classDefaults[rule.class];
  const retryable = rule.retryable ?? defaults.retryable;
  const fallback = rule.fallback ?? defaults.fallback;
  const hintMs = hintFor(rule, evidence);
  if (hintMs === null || !(retryable || rule.class === 'quota')) {
    return { class: rule.class, retryable, retryAfterMs: null, fallback };
  }
  if (hintMs > patienceMs) {
    const found = classByHint(rule.class, hintMs);
    const waits = classDefaults[found].retryable;
    return { class: found, retryable: waits, retryAfterMs: hintMs, fallback: true };
  }
  // A short hint on a spent quota is boilerplate: the money or the day doesn't come back by then.
  const retryAfterMs = rule.class === 'quota' ? null : hintMs;
  return { class: rule.class, retryable, retryAfterMs, fallback };
}

/** The server's own word on retries (`x-should-retry`, as the official SDKs obey it). */
function obeyServer(verdict: Classification, evidence: Evidence): Classification {
  const word = evidence.headers['x-should-retry']?.[0]?.toLowerCase();
  if (word === 'false') return { ...verdict, retryable: false };
  if (word !== 'true' || deafToRetry.has(verdict.class)) return verdict;
  const retryAfterMs = verdict.retryAfterMs ?? evidence.hintMs ?? null;
  return { ...verdict, retryable: true, retryAfterMs };
}

/**
 * Returns what an error is, whether the same call may be sent again, when at the earliest, and
 * whether to offer a fallback. Facts in order of rank: the caller's cancellation, codes and
 * wording in the body, the status, codes of the connection, the bare message. A tool's own
 * `retryable: false` is obeyed; an error inside a 2xx always offers a fallback. Pure, total on
 * plain data, and the same for the same input. Source: spec.md, section 5.
 */
export function classify(input: ClassifyInput): Classification {
  const evidence = gatherEvidence(input);
  const verdict = obeyServer(judge(findRule(evidence), evidence), evidence);
  if (verdict.class === 'cancelled') return verdict;
  const { outerStatus } = evidence;
  const hidden = outerStatus !== null && outerStatus >= 200 && outerStatus < 300;
  return {
    ...verdict,
    retryable: verdict.retryable && !evidence.forbidsRetry,
    fallback: verdict.fallback || hidden,
  };
}
