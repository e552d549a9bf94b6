import type { Client, ClientOptions } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { Option } from 'commander';
import { ServerUnreachableError, UsageError } from './cli-errors.js';

/** Which server a command talks to, as its options say. */
export type ServerChoice = { readonly address?: string; readonly namespace?: string };

/** The option that names the server. */
export function addressOption(): Option {
  return new Option(
    '--address <host:port>',
    'the Temporal server, before TEMPORAL_ADDRESS and the configuration file',
  );
}

/** A server and how it is reached. */
export type ServerConfig = {
  readonly address: string;
  readonly namespace: string;
  readonly connection: ReturnType<typeof load>['connectionOptions'] & { readonly address: string };
};

/**
 * Reads what Temporal's own tools read: the environment (TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TLS, API
 * key) and the profile of the configuration file; options go before both.
 * @throws UsageError where an option is empty, a file can't be read, or the profile isn't there
 */
export function readServerConfig(choice: ServerChoice): ServerConfig {
  for (const option of ['address', 'namespace'] as const) {
    if (choice[option] === '') throw new UsageError(`--${option} must not be empty.`);
  }
  const { connectionOptions, namespace } = load();
  const { address = 'localhost:7233', apiKey, tls, metadata } = connectionOptions;
  const chosen = choice.address ?? address;
  return {
    address: chosen,
    namespace: choice.namespace ?? namespace ?? 'default',
    connection: {
      address: chosen,
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(tls === undefined ? {} : { tls }),
      ...(metadata === undefined ? {} : { metadata }),
    },
  };
}

function load(): ReturnType<typeof loadClientConnectConfig> {
  try {
    return loadClientConnectConfig();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`Temporal's configuration can't be used: ${reason}`, { cause });
  }
}

/** Milliseconds that a command waits for a server to answer at all. */
export const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Hands a connected client to `use`, and closes its connection. Only then is the client loaded: it takes a while.
 * @throws ServerUnreachableError where the server can't be used
 * @throws UsageError where the configuration is wrong, or the server says that what is asked of it is
 */
export async function withClient<Result>(
  server: ServerConfig,
  connectTimeoutMs: number,
  use: (client: Client) => Promise<Result>,
  clientOptions: Pick<ClientOptions, 'plugins'> = {},
): Promise<Result> {
  const { address, connection: options, namespace } = server;
  const { Client, Connection } = await import('@temporalio/client');
  const connection = await Connection.connect({
    ...options,
    connectTimeout: connectTimeoutMs,
  }).catch(async (cause: unknown) => {
    const { connectFailure } = await import('./connect-failure.js');
    throw await connectFailure(server, cause);
  });
  try {
    return await use(new Client({ ...clientOptions, connection, namespace }));
  } catch (error) {
    const { whyRefused, whyUnreachable } = await import('./unreachable.js');
    const reason = whyUnreachable(error, namespace);
    if (reason !== undefined) throw new ServerUnreachableError(address, reason, error);
    const refusal = whyRefused(error);
    throw refusal === undefined ? error : new UsageError(refusal, { cause: error });
  } finally {
    await connection.close();
  }
}
