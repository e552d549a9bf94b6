import { connect as connectPlain, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectSecure } from 'node:tls';
import type { ServerConfig } from './temporal-client.js';

/** Milliseconds for each of two looks at an address. */
const LOOK_MS = 2_000;
const DEFAULT_PORT = 7233;

/** Codes of the system, as words. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ENOTFOUND: "nobody knows that host's name",
  EAI_AGAIN: "nobody knows that host's name",
  EHOSTUNREACH: 'no network leads there',
  ENETUNREACH: 'no network leads there',
};

/**
 * Returns why a server gave no answer, by a look at its address: the client itself says only that time ran out.
 * It looks at most twice, for two seconds each.
 */
export async function whyNoAnswer({ connection }: ServerConfig): Promise<string> {
  const { address, tls } = connection;
  const place = placeOf(address);
  if (place === undefined) return 'it gave no answer';
  const plain = await look(() => connectPlain(place), 'connect');
  if (plain !== undefined) return words[plain.code ?? ''] ?? 'it gave no answer';
  if (tls === undefined || tls === null || tls === false) {
    const secure = await look(
      () => connectSecure({ ...place, rejectUnauthorized: false }),
      'secureConnect',
    );
    return secure === undefined
      ? 'it takes only TLS, which is not set (TEMPORAL_TLS, or the profile)'
      : 'what listens there gave no answer that a Temporal server gives';
  }
  // a certificate of the client's is refused only after the handshake: a server that takes it speaks first
  const secure = await look(() => connectSecure({ ...place, ...secureOptions(tls) }), 'data');
  if (secure === undefined) return 'what listens there gave no answer that a Temporal server gives';
  if (secure.code === 'ERR_SSL_WRONG_VERSION_NUMBER') return 'it speaks no TLS, and TLS is set';
  return secure.message === TOO_LATE
    ? 'it gave no answer by TLS'
    : `TLS with it failed: ${reasonOf(secure)}`;
}

/** What OpenSSL says has a part for people, and much else. */
function reasonOf(error: Error): string {
  return 'reason' in error ? String(error.reason) : error.message;
}

type Place = { readonly host: string; readonly port: number };

function placeOf(address: string): Place | undefined {
  const [, six, name, digits = String(DEFAULT_PORT)] =
    /^(?:\[([^\]\s]+)\]|([^:/\s]+))(?::(\d{1,5}))?$/.exec(address) ?? [];
  const host = six ?? name;
  const port = Number(digits);
  return host === undefined || port === 0 || port > 65_535 ? undefined : { host, port };
}

type Tls = Exclude<ServerConfig['connection']['tls'], boolean | null | undefined>;

function secureOptions(tls: Tls | true): ConnectionOptions {
  const given: Tls = tls === true ? {} : tls;
  const { serverNameOverride, serverRootCACertificate, clientCertPair } = given;
  const bytes = (data: Uint8Array): Buffer => Buffer.from(data);
  return {
    ALPNProtocols: ['h2'],
    ...(serverNameOverride === undefined ? {} : { servername: serverNameOverride }),
    ...(serverRootCACertificate === undefined ? {} : { ca: bytes(serverRootCACertificate) }),
    ...(clientCertPair === undefined
      ? {}
      : { cert: bytes(clientCertPair.crt), key: bytes(clientCertPair.key) }),
  };
}

const TOO_LATE = 'too late';

/** Opens a socket, and returns what came in place of an event that is waited for; undefined where it came. */
function look(open: () => Socket, event: string): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    const socket = open(); // throws where a certificate is none
    const settle = (came?: Error): void => {
      socket.destroy();
      resolve(came);
    };
    socket.once(event, () => settle());
    socket.once('error', settle);
    socket.once('close', () => settle(new Error('it was closed')));
    socket.setTimeout(LOOK_MS, () => settle(new Error(TOO_LATE)));
  }).catch((error: Error) => error);
}
