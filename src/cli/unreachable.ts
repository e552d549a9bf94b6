import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { grpc } from './grpc-codes.js';

/** Codes of gRPC that say that the server, and not what was asked of it, is the trouble. */
const reasons: Readonly<Record<number, string>> = {
  [grpc.deadlineExceeded]: 'it gave no answer in time',
  [grpc.resourceExhausted]: 'it has too much to do, and turns requests away',
  [grpc.permissionDenied]: 'it lets this user do nothing here',
  [grpc.unavailable]: 'it gave no answer',
  [grpc.unauthenticated]: 'it takes neither key nor certificate',
};

/** Returns why an error of the SDK means that the server can't be used; undefined where it means something else. */
export function whyUnreachable(error: unknown, namespace: string): string | undefined {
  if (error instanceof NamespaceNotFoundError) return `it has no namespace ${error.namespace}`;
  const cause = causeOf(error);
  if (!isGrpcServiceError(cause)) return undefined;
  if (cause.code === grpc.notFound && /namespace/i.test(cause.details)) {
    return `it has no namespace ${namespace}`;
  }
  return reasons[cause.code];
}

/** Returns what the server finds wrong with what is asked of it; undefined for any other error. */
export function whyRefused(error: unknown): string | undefined {
  const cause = causeOf(error);
  const isRefusal = isGrpcServiceError(cause) && cause.code === grpc.invalidArgument;
  return isRefusal ? `The server refuses what is asked of it: ${cause.details}` : undefined;
}

function causeOf(error: unknown): unknown {
  return error instanceof ServiceError ? error.cause : error;
}
