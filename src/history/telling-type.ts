/** Names that SDKs and languages give to errors of any kind, and clients to answers of any status. */
const types = [
  ...['Error', 'Exception', 'RuntimeException', 'Throwable', 'TypeError', 'ApplicationError'],
  ...['errorString', 'wrapError', 'wrapErrors', 'fundamental', 'withStack', 'PanicError'],
  ...[
    'AxiosError',
    'FetchError',
    'HTTPError',
    'HttpError',
    'HTTPStatusError',
    'APIError',
    'ApiError',
  ],
  ...[
    'RequestException',
    'ClientResponseError',
    'ResponseError',
    'ServiceException',
    'StatusError',
  ],
];
const ofAnyKind: ReadonlySet<string> = new Set(types);

/**
 * Tells whether the type of a failure tells it from others, so that a retry policy may name it: an `Error`, or what
 * an HTTP client throws for any status, may also be one that a retry mends. The names of packages don't matter.
 */
export function isTellingType(type: string | null): type is string {
  if (type === null) return false;
  return !ofAnyKind.has(type.split(/[.:*/]/).at(-1) ?? '');
}
