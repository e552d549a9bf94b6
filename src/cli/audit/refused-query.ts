import { isGrpcServiceError, ServiceError } from '@temporalio/client';

const INVALID_ARGUMENT = 3;

/** Returns what the server says against a visibility query; undefined for any other error. */
export function refusedQuery(error: unknown): string | undefined {
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) && cause.code === INVALID_ARGUMENT ? cause.details : undefined;
}
