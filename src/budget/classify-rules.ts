import * as codes from './classify-codes.js';
import type { Evidence } from './classify-evidence.js';
import * as texts from './classify-texts.js';
import type { ErrorClass } from './classify-types.js';
import { hasExhaustedBucket } from './hints-buckets.js';

/** One row of the policy: the facts it needs and the verdict it gives. */
export type Rule = {
  readonly class: ErrorClass;
  /** Where left out, the class decides. */
  readonly retryable?: boolean;
  /** Where left out, the class decides. */
  readonly fallback?: boolean;
  /** What the hint is worth: of no use here, or this when the server gives none. */
  readonly hint?: 'none' | { readonly defaultMs: number };
  /** Must hold before anything else is looked at. */
  readonly where?: (evidence: Evidence) => boolean;
  /** One of these codes, or one of these texts, or this test makes the row match. */
  readonly codes?: readonly string[];
  readonly texts?: readonly RegExp[];
  readonly test?: (evidence: Evidence) => boolean;
};

const programmerErrors = ['typeerror', 'referenceerror', 'rangeerror', 'syntaxerror', 'evalerror'];

function says(evidence: Evidence, patterns: readonly RegExp[]): boolean {
  return patterns.some((pattern) => pattern.test(evidence.text));
}

function hasCode(evidence: Evidence, list: readonly string[]): boolean {
  return list.some((code) => evidence.codes.has(code));
}

function hasNumber(evidence: Evidence, ...list: readonly number[]): boolean {
  return list.some((number) => evidence.numbers.has(number));
}

/** Restricts a row to these error statuses; null stands for none known. */
function statusIn(...list: readonly (number | null)[]): (evidence: Evidence) => boolean {
  return ({ status }) => list.includes(status);
}

const withoutStatus = statusIn(null);

/** No status, and no bug of the calling program, whose messages are about anything. */
function proseCounts(evidence: Evidence): boolean {
  return evidence.status === null && !hasCode(evidence, programmerErrors);
}

function roomMayLack({ status }: Evidence): boolean {
  return status === null || status === 429 || status === 498 || status >= 500;
}

/** Returns whether a message is the phrase or ends in it after a colon; never mere containment. */
function endsInPhrase(evidence: Evidence, phrases: readonly string[]): boolean {
  return evidence.sentences.some((sentence) => {
    const plain = sentence.toLowerCase().replace(/[.\s]+$/, '');
    return phrases.some((phrase) => plain === phrase || plain.endsWith(`: ${phrase}`));
  });
}

function isWholeMessage(evidence: Evidence, phrases: readonly string[]): boolean {
  return evidence.sentences.some((sentence) => {
    const plain = sentence.toLowerCase().replace(/^(?:type)?error: /, '');
    return phrases.includes(plain.replace(/[.\s]+$/, ''));
  });
}

function asksForMoreThanTheLimit(evidence: Evidence): boolean {
  const [, limit, requested] = texts.requestedOverLimit.exec(evidence.text) ?? [];
  if (limit === undefined || requested === undefined) return false;
  return Number(requested.replaceAll(',', '')) > Number(limit.replaceAll(',', ''));
}

/** AWS throttles under a 400 too; there only the name of the exception tells. */
function limitMayBe(evidence: Evidence): boolean {
  const throttled = evidence.status === 400 && hasCode(evidence, codes.rateLimitCodes);
  return throttled || statusIn(null, 402, 403, 429)(evidence);
}

/** A long window is quota, unless a rolling bucket says honestly when there is room again. */
function isLongWindow(evidence: Evidence): boolean {
  if (!says(evidence, texts.longWindowTexts) || !says(evidence, texts.limitTexts)) return false;
  return evidence.hintMs === undefined || !says(evidence, texts.rollingBucketTexts);
}

/** The boilerplate counts only where nothing more exact contradicts it. */
function isQuotaByBoilerplate(evidence: Evidence): boolean {
  if (evidence.hintMs !== undefined || says(evidence, texts.shortWindowTexts)) return false;
  return says(evidence, texts.quotaBoilerplate);
}

/** Facts that outrank the status: the first row that matches gives the verdict. */
export const outrankingRules: readonly Rule[] = [
  { class: 'cancelled', codes: codes.cancelledCodes, test: (evidence) => evidence.localAborted },
  { class: 'content-filter', codes: codes.contentFilterCodes, texts: texts.contentFilterTexts },
  { class: 'context-length', codes: codes.contextLengthCodes, texts: texts.contextLengthTexts },
  { class: 'context-length', test: asksForMoreThanTheLimit },
  {
    class: 'quota',
    hint: 'none',
    codes: ['quotavalue0'],
    test: (evidence) => says(evidence, texts.zeroLimitTexts) && says(evidence, texts.quotaTexts),
  },
  { class: 'quota', codes: codes.quotaCodes },
  {
    class: 'quota',
    where: statusIn(null, 400, 401, 402, 403, 429),
    texts: texts.creditTexts,
  },
  { class: 'quota', where: statusIn(null, 402, 403, 429), texts: texts.moneyTexts },
  { class: 'quota', where: limitMayBe, test: isLongWindow },
  { class: 'quota', where: statusIn(null, 402, 403, 429), test: isQuotaByBoilerplate },
  { class: 'auth', fallback: false, codes: codes.expiredCodes },
  {
    class: 'auth',
    fallback: false,
    where: (evidence) =>
      statusIn(400, 401, 403)(evidence) ||
      hasCode(evidence, [...codes.authCodes, 'unauthenticated']),
    texts: texts.expiredTexts,
  },
  { class: 'auth', codes: codes.authCodes },
  { class: 'auth', where: statusIn(400), texts: texts.authTexts },
  { class: 'conflict', codes: codes.conflictCodes, where: statusIn(null, 400, 409, 423, 429) },
  { class: 'conflict', where: statusIn(null, 400, 409), texts: texts.conflictTexts },
  { class: 'conflict', retryable: false, codes: codes.alreadyExistsCodes },
  { class: 'not-found', fallback: true, codes: codes.modelMissingCodes },
  {
    class: 'not-found',
    fallback: true,
    where: statusIn(404, 410),
    texts: texts.modelMissingTexts,
  },
  {
    class: 'network',
    retryable: false,
    where: withoutStatus,
    codes: codes.certificateCodes,
    texts: texts.certificateTexts,
  },
  { class: 'overloaded', codes: codes.overloadedCodes },
  { class: 'overloaded', where: roomMayLack, texts: texts.overloadedTexts },
  { class: 'timeout', codes: codes.timeoutCodes },
  { class: 'rate-limit', codes: codes.rateLimitCodes },
  {
    class: 'rate-limit',
    hint: { defaultMs: 60_000 },
    where: statusIn(403, 429),
    texts: texts.secondaryLimitTexts,
  },
  {
    class: 'rate-limit',
    where: statusIn(403),
    texts: texts.rateLimitTexts,
    test: (evidence) => hasExhaustedBucket(evidence.headers),
  },
  { class: 'server', codes: codes.serverCodes },
  // gRPC's CANCELLED and the status 499: the call was ended, and not by our signal.
  {
    class: 'server',
    where: statusIn(null, 499),
    codes: ['grpccancelled'],
    test: ({ status }) => status === 499,
  },
];

/** Facts that count only where no error status is known: the first row that matches. */
export const statuslessRules: readonly Rule[] = [
  // JSON-RPC 2.0, section 5.1: an answer is an answer, only faults of the transport are retried.
  { class: 'timeout', test: (evidence) => hasNumber(evidence, -32001) },
  {
    class: 'network',
    where: (evidence) => hasNumber(evidence, -32000),
    texts: [/\bconnection closed\b/i],
  },
  { class: 'not-found', test: (evidence) => hasNumber(evidence, -32601, -32002) },
  { class: 'invalid-request', test: (evidence) => hasNumber(evidence, -32600, -32602, -32700) },
  {
    class: 'server',
    retryable: false,
    test: ({ numbers }) => [...numbers].some((number) => number <= -32000 && number >= -32768),
  },
  { class: 'timeout', codes: codes.socketTimeoutCodes },
  // undici gives HTTP/2 timeouts a code of their own.
  {
    class: 'timeout',
    where: (evidence) => hasCode(evidence, ['underrinfo']),
    texts: [/\btimeout\b/i],
  },
  {
    class: 'network',
    codes: codes.networkCodes,
    test: ({ codes: found }) => [...found].some((code) => code.endsWith('badrecordmac')),
  },
  {
    class: 'network',
    test: ({ codes: found }) => [...found].some((code) => /^hpe[a-z]|^errtls/.test(code)),
  },
  {
    class: 'timeout',
    codes: codes.abortCodes,
    test: (evidence) => endsInPhrase(evidence, texts.abortPhrases),
  },
  { class: 'rate-limit', codes: codes.weakCodes['rate-limit'] },
  { class: 'auth', codes: codes.weakCodes.auth },
  { class: 'not-found', codes: codes.weakCodes['not-found'] },
  { class: 'conflict', codes: codes.weakCodes.conflict },
  { class: 'validation', codes: codes.weakCodes.validation },
  { class: 'timeout', where: proseCounts, texts: texts.timeoutTexts },
  { class: 'rate-limit', where: proseCounts, texts: texts.rateLimitTexts },
  { class: 'invalid-request', codes: codes.weakCodes['invalid-request'] },
  { class: 'server', codes: codes.weakCodes.server },
  { class: 'network', codes: codes.weakCodes.network },
  // After the codes: inside an answer "stream closed" is the server's word for its own fault.
  {
    class: 'network',
    texts: texts.networkBeginnings,
    test: (evidence) =>
      endsInPhrase(evidence, texts.networkPhrases) ||
      isWholeMessage(evidence, texts.networkWholeMessages),
  },
  { class: 'auth', where: proseCounts, texts: texts.authTexts },
  { class: 'server', where: proseCounts, texts: texts.serverTexts },
];

/** Returns the first row whose facts the evidence has. */
export function firstMatch(rules: readonly Rule[], evidence: Evidence): Rule | undefined {
  return rules.find((rule) => {
    if (rule.where !== undefined && !rule.where(evidence)) return false;
    if (rule.codes !== undefined && hasCode(evidence, rule.codes)) return true;
    if (rule.texts !== undefined && says(evidence, rule.texts)) return true;
    return rule.test?.(evidence) ?? false;
  });
}
