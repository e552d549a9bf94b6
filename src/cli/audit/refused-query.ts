import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { grpc } from '../grpc-codes.js';

/** Returns what the server says against a visibility query; undefined for any other error. */
export function refusedQuery(error: unknown): string | undefined {
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) && cause.code === grpc.invalidArgument
    ? cause.details
    : undefined;
}
