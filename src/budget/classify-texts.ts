/**
 * Sentences that tell more than the codes and the status beside them. Prose is the weakest of
 * facts: a pattern stands here only where a provider sends nothing better.
 */

/** Refusals of content. */
export const contentFilterTexts: readonly RegExp[] = [
  /content (?:management|filtering|usage) polic(?:y|ies)/i,
  /\bblocked by (?:the )?(?:content|safety) (?:filter|policy|system)/i,
  /\bviolat(?:e|es|ing) (?:our |the |openai's )?(?:usage|content|safety) (?:polic|guideline)/i,
  /\b(?:request|prompt|input) (?:was |were )?(?:rejected|blocked|flagged)[^\n]{0,40}\b(?:safety|moderation|policy)/i,
  /requires moderation on [^\n]{0,60}\bflagged\b/i,
  /\bcontent exists risk\b/i,
];

/** The request is too large for the model or for the whole of a limit. */
export const contextLengthTexts: readonly RegExp[] = [
  /maximum context length/i,
  /\bcontext (?:length|window|limit|size)\b[^\n]{0,20}\b(?:exceed|overflow|too (?:long|large|small))/i,
  /\bexceed(?:s|ed|ing)?\b[^\n]{0,60}\bcontext (?:length|window|limit|size)\b/i,
  /\bgreater than the context length\b/i,
  /\b(?:prompt|input|request) is too (?:long|large)\b/i,
  /\binput token count\b[^\n]{0,40}\bexceeds?\b/i,
  /\bexceeds? the maximum number of (?:input )?tokens\b/i,
  /\binput tokens exceed\b/i,
  /\bmaximum prompt length is \d/i,
  /\btotal number of tokens in the prompt cannot exceed\b/i,
  /\bexceed(?:s|ed)? (?:the )?(?:model|prompt) token (?:count )?limit\b/i,
  /\bprompt token count of \d+ exceeds\b/i,
  /\btoo large for model with \d+ maximum context\b/i,
  /\breduce the length of (?:the|your) (?:messages|prompt|input)\b/i,
  /\brequired for long context requests\b/i,
  /\brequest (?:payload )?(?:size )?exceeds the (?:maximum size|limit)\b/i,
  /\brequest too large\b/i,
];

/** Sums of "Limit 30000, Used 0, Requested ~31538": more asked for than there ever is. */
export const requestedOverLimit =
  /\blimit:? ?~?([\d,]{1,15})\b[^\n]{0,60}?\brequested:? ?~?([\d,]{1,15})\b/i;

/** Money is used up, in words that only providers of models use. */
export const creditTexts: readonly RegExp[] = [
  /\bcredit balance is too low\b/i,
  /\bbilling hard limit\b/i,
  /\b(?:reached|exceeded) your specified api usage limits?\b/i,
];

/** Money is used up, in words that an ordinary refusal could use as well. */
export const moneyTexts: readonly RegExp[] = [
  /\b(?:insufficient|not enough) (?:account )?(?:balance|credits?|quota)\b/i,
  /\b(?:out of|no remaining|requires more|used all (?:of )?(?:your |the )?available) credits\b/i,
  /\bused all the included free usage\b/i,
  /\b(?:spend|spending|monthly usage|monthly spend) limit\b/i,
  /\b(?:hit|reached|exceeded) your (?:[\w-]{1,20} ){0,2}usage limits?\b/i,
  /\busage limit (?:has been )?reached\b/i,
  /\b(?:account|payment) (?:is )?(?:in arrears|overdue|past due)\b/i,
];

/** A limit that never lets anything through, in a sentence about quotas. */
export const zeroLimitTexts: readonly RegExp[] = [/\blimit: ?0(?![\d.])/i];

/** The word that makes a sentence one about quotas. */
export const quotaTexts: readonly RegExp[] = [/\bquota\b/i];

/** Windows of a day and longer. */
export const longWindowTexts: readonly RegExp[] = [
  /\bper[ _-]?(?:day|week|month)\b/i,
  /Per(?:Day|Week|Month)(?![a-z])/,
  /_per_(?:day|week|month)\b/i,
  /\((?:TPD|RPD|ASPD)\)/,
  /\b(?:daily|weekly|monthly)\b[^\n]{0,30}\b(?:limit|quota|cap|allowance|allocation)\b/i,
  /\b(?:calls|requests|tokens) ?\/ ?(?:day|week|month)\b/i,
  /\brolling 24-?hour\b/i,
];

/** Words by which a sentence is about a limit at all. */
export const limitTexts: readonly RegExp[] = [
  /\b(?:rate.?limit|limit|quota|too many|throttl|exceeded|used up)/i,
];

/** A rolling bucket that says how much is used and when there is room: its hint is honest. */
export const rollingBucketTexts: readonly RegExp[] = [/\bused:? ?~?[\d,]+, requested:? ?~?[\d,]+/i];

/** The sentence that providers print both for spent money and for a throttle of a minute. */
export const quotaBoilerplate: readonly RegExp[] = [
  /\bexceeded your current quota\b/i,
  /\bcheck your plan and billing\b/i,
];

/** Windows of a minute and shorter, named by the details. */
export const shortWindowTexts: readonly RegExp[] = [
  /per[ _-]?(?:second|minute)/i,
  /\((?:TPM|RPM|ITPM|OTPM)\)/,
];

/** Credentials that ran out. */
export const expiredTexts: readonly RegExp[] = [
  /\b(?:token|key|session|credentials?|security token)\b[^\n]{0,40}\b(?:is|are|has|have)? ?expired\b/i,
  /\bexpired (?:api )?(?:token|key|session|credentials?)\b/i,
  /\bplease (?:re-?authenticate|renew the api key|refresh your (?:token|credentials))/i,
];

/** Another run holds the thread or resource. */
export const conflictTexts: readonly RegExp[] = [
  /\bwhile a (?:run|request|operation)\b[^\n]{0,60}\bis (?:active|in progress|running|pending)\b/i,
  /\balready has an active (?:run|response|request)\b/i,
  /\banother (?:process|request|operation|run) is (?:currently |already )?(?:operating|running|in progress|active)/i,
];

/** The model is what was not found. */
export const modelMissingTexts: readonly RegExp[] = [
  // As a word of the sentence, not as a part of a path that is wrong.
  /(?<!\/)\bmodels?\b/i,
  /\bno (?:allowed )?(?:providers|endpoints)\b/i,
  /\bapi deployment for this resource does not exist\b/i,
];

/** The certificate can't be trusted. */
export const certificateTexts: readonly RegExp[] = [
  /\bself[- ]signed certificate\b/i,
  /\bunable to (?:verify the first certificate|get (?:local )?issuer certificate)\b/i,
  /\binvalid peer certificate\b/i,
  /\bcertificate (?:has expired|verify failed|is not yet valid)\b/i,
  /\bhostname\/ip does not match certificate/i,
];

/** The server has no room. */
export const overloadedTexts: readonly RegExp[] = [
  /\boverload(?:ed|ing)?\b/i,
  /\b(?:high|heavy) (?:demand|load|traffic)\b/i,
  /\bpeak (?:load|demand|hours)\b/i,
  /\b(?:no|insufficient|not enough|out of) (?:model |server )?capacity\b/i,
  /\b(?:at|over) (?:full )?capacity\b/i,
  /\bcapacity (?:is |was |temporarily )?(?:exceeded|exhausted)\b/i,
  /\b(?:server|service|model|engine|system)s? (?:is |are )?(?:currently )?(?:too )?busy\b/i,
  /\bmodel\b[^\n]{0,80}\bis (?:currently |still )?(?:loading|warming up)\b/i,
  /访问量过大|服务器繁忙|系统繁忙/,
];

/** Too many calls, where the status says something else or nothing. */
export const rateLimitTexts: readonly RegExp[] = [
  /\brate.?limit(?:s|ed|ing)?\b/i,
  /\btoo many requests\b/i,
  /\bthrottl(?:ed|ing)\b/i,
  /\babuse detection\b/i,
];

/** GitHub's secondary limit, which asks for a minute at least. */
export const secondaryLimitTexts: readonly RegExp[] = [
  /\bsecondary rate limit\b/i,
  /\babuse detection mechanism\b/i,
];

/** A deadline passed, said in words only. */
export const timeoutTexts: readonly RegExp[] = [
  /\btimed[ -]?out\b/i,
  /\btimeout (?:of \d|after|exceeded|error|expired|reached|while)/i,
  /\b(?:request|response|read|connect|connection|idle|stream|socket|operation|headers|body|gateway|inactivity) time-?out\b/i,
  /\bstream (?:has )?stalled\b/i,
  /\bdeadline (?:has )?(?:been )?(?:exceeded|expired)\b/i,
];

/** The server's own fault, said in words only. */
export const serverTexts: readonly RegExp[] = [
  /\binternal (?:server )?error\b/i,
  /\bprovider returned error\b/i,
  /\b(?:server|upstream) (?:had|encountered) an? (?:unexpected )?error\b/i,
  /\bbad gateway\b/i,
];

/** Credentials that are wrong, said in words only. */
export const authTexts: readonly RegExp[] = [
  /\b(?:invalid|incorrect|missing|no) api[- ]?key\b/i,
  /\bapi[- ]?key (?:is )?(?:not valid|invalid|missing)\b/i,
  /\b(?:could not load|missing) credentials\b/i,
];

/** Whole messages, or their ends after a colon, by which runtimes report a broken connection. */
export const networkPhrases: readonly string[] = [
  'connection error',
  'connection reset by peer',
  'client network socket disconnected before secure tls connection was established',
  'failed to fetch',
  'fetch failed',
  'load failed',
  'network error',
  'network connection lost',
  'network request failed',
  'networkerror when attempting to fetch resource',
  'other side closed',
  'premature close',
  'request ended without sending any chunks',
  'socket hang up',
  'unable to connect. is the computer able to access the url?',
];

/** Words too common to be found at an end: only a message that is nothing else counts. */
export const networkWholeMessages: readonly string[] = ['terminated', 'aborted'];

/** Beginnings by which Bun and Deno report a broken connection; more follows. */
export const networkBeginnings: readonly RegExp[] = [
  /^the socket connection was closed unexpectedly\b/i,
  /^peer closed connection without sending complete message body\b/i,
  /^(?:the )?(?:response )?stream (?:ended|closed|disconnected|was (?:closed|reset))\b/i,
  /^error sending request(?: for url)?\b/i,
  /^(?:error: )?unable to make request: /i,
];

/** Whole messages, or their ends after a colon, of a call ended by a signal or timer. */
export const abortPhrases: readonly string[] = [
  'request aborted',
  'request was aborted',
  'signal is aborted without reason',
  'the operation was aborted',
  'the operation was aborted due to timeout',
  'the request was aborted',
  'the user aborted a request',
  'this operation was aborted',
];
