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
  return wrongSettings(message, cause);
}

/** What a worker's connection says of the server's own refusals, which have no code there. */
const refusals: readonly (readonly [RegExp, string])[] = [
  [/valid authentication credentials/, 'it takes neither key nor certificate'],
  [/does not have permission/, 'it lets this user do nothing here'],
];

/** Returns the same for the connection of a worker. */
export async function workerConnectFailure(
  server: ServerConfig,
  cause: unknown,
): Promise<ServerUnreachableError | UsageError> {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof TypeError || /ParseError/.test(message)) {
    return wrongSettings(message, cause);
  }
  const [, said] = refusals.find(([pattern]) => pattern.test(message)) ?? [];
  return new ServerUnreachableError(server.address, said ?? (await whyNoAnswer(server)), cause);
}

/** A certificate that is none, and other settings that the client itself refuses. */
function wrongSettings(message: string, cause: unknown): UsageError {
  return new UsageError(`Temporal's configuration can't be used: ${message}`, { cause });
}
