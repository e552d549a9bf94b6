import { ServerUnreachableError, UsageError } from './cli-errors.js';
import type { ServerConfig } from './temporal-client.js';
import { whyUnreachable } from './unreachable.js';
import { whyNoAnswer } from './why-no-answer.js';

/** What the client says where its time ran out, of whatever was wrong. */
const noAnswer = 'Failed to connect before the deadline';

/** Returns why a client could not connect, as a command says it. */
export async function connectFailure(
  server: ServerConfig,
  cause: unknown,
): Promise<ServerUnreachableError | UsageError> {
  const { address, namespace } = server;
  const said = whyUnreachable(cause, namespace);
  const message = cause instanceof Error ? cause.message : String(cause);
  if (said !== undefined || message === noAnswer) {
    return new ServerUnreachableError(address, said ?? (await whyNoAnswer(server)), cause);
  }
  // a certificate that is none, and other settings that the client itself refuses
  return new UsageError(`Temporal's configuration can't be used: ${message}`, { cause });
}
