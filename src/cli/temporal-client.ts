import type { Client, ConnectionOptions } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { Option } from 'commander';
import { UsageError } from './cli-errors.js';

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
  readonly connection: ConnectionOptions;
};

/**
 * Reads what Temporal's own tools read: the environment (TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TLS, API
 * key) and the profile of the configuration file; options go before both.
 * @throws UsageError where a file can't be read, or the profile isn't there
 */
export function readServerConfig(choice: ServerChoice): ServerConfig {
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

/** Hands a connected client to `use`, and closes its connection. Only then is the client loaded: it takes a while. */
export async function withClient<Result>(
  { connection: options, namespace }: ServerConfig,
  connectTimeoutMs: number,
  use: (client: Client) => Promise<Result>,
): Promise<Result> {
  const { Client, Connection } = await import('@temporalio/client');
  const connection = await Connection.connect({ ...options, connectTimeout: connectTimeoutMs });
  try {
    return await use(new Client({ connection, namespace }));
  } finally {
    await connection.close();
  }
}
