import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';

/** Codes of gRPC that say that the server, and not what was asked of it, is the trouble. */
const reasons: Readonly<Record<number, string>> = {
  4: 'it gave no answer in time',
  7: 'it lets this user do nothing here',
  14: 'it gave no answer',
  16: 'it takes neither key nor certificate',
};

const NOT_FOUND = 5;

/** Returns why an error of the SDK means that the server can't be used; undefined where it means something else. */
export function whyUnreachable(error: unknown, namespace: string): string | undefined {
  if (error instanceof NamespaceNotFoundError) return `it has no namespace ${error.namespace}`;
  const cause = error instanceof ServiceError ? error.cause : error;
  if (!isGrpcServiceError(cause)) return undefined;
  if (cause.code === NOT_FOUND && /namespace/i.test(cause.details)) {
    return `it has no namespace ${namespace}`;
  }
  return reasons[cause.code];
}
