import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { UsageError } from '../cli-errors.js';
import { grpc } from '../grpc-codes.js';

/** Returns what to do with an error of the server: one that refuses what was asked for says whose word that was. */
export function refusedBy(whose: string): (error: unknown) => never {
  return (error) => {
    const cause = error instanceof ServiceError ? error.cause : error;
    if (!isGrpcServiceError(cause) || cause.code !== grpc.invalidArgument) throw error;
    throw new UsageError(`The server refuses ${whose}: ${cause.details}`, { cause: error });
  };
}
