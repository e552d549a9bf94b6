import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createPlain, createSecureServer, type Http2Server } from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { readServerConfig, type ServerConfig, withClient } from '../../src/cli/temporal-client.js';
import { whyNoAnswer } from '../../src/cli/why-no-answer.js';
import { selfSigned } from './fixture/self-signed.js';

type Tls = ServerConfig['connection']['tls'];

/** Neither it nor what is connected to it keeps the test's process alive. */
async function listen(server: Server | Http2Server): Promise<string> {
  server.on('connection', (socket: Socket) => socket.unref());
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return `127.0.0.1:${port}`;
}

function configOf(address: string, tls?: Tls): ServerConfig {
  return { address, namespace: 'default', connection: { address, ...(tls ? { tls } : {}) } };
}

describe('why a server gives no answer', () => {
  const trusted = { serverRootCACertificate: Buffer.from(selfSigned.cert) };
  const servers: (Server | Http2Server)[] = [];
  const addresses: Record<string, string> = {};
  before(async () => {
    const open = async (name: string, server: Server | Http2Server): Promise<void> => {
      servers.push(server);
      addresses[name] = await listen(server);
    };
    await open('silent', createServer());
    await open('secure', createSecureServer(selfSigned));
    const mutual = { ...selfSigned, requestCert: true, ca: selfSigned.cert };
    await open('mutual', createSecureServer(mutual));
    await open('plain', createPlain());
    const closed = createServer();
    addresses.closed = await listen(closed);
    closed.close();
    addresses.nameless = 'no-such-host.invalid:7233';
  });
  after(() => {
    for (const server of servers) server.close();
  });

  const rows: readonly { readonly at: string; readonly tls?: Tls; readonly says: RegExp }[] = [
    { at: 'closed', says: /^nobody listens there$/ },
    { at: 'nameless', says: /^nobody knows that host's name$/ },
    { at: 'silent', says: /^what listens there gave no answer that a Temporal server gives$/ },
    { at: 'secure', says: /^it takes only TLS, which is not set/ },
    { at: 'secure', tls: true, says: /^TLS with it failed: self-signed certificate$/ },
    { at: 'secure', tls: trusted, says: /^what listens there gave no answer/ },
    { at: 'mutual', tls: trusted, says: /^TLS with it failed: .*certificate required$/ },
    { at: 'plain', tls: true, says: /^it speaks no TLS, and TLS is set$/ },
  ];
  for (const { at, tls, says } of rows) {
    const by = tls === undefined ? 'without TLS' : tls === true ? 'by TLS' : 'by trusted TLS';
    it(`is told of what is ${at}, asked ${by}`, async () => {
      assert.match(await whyNoAnswer(configOf(addresses[at] ?? '', tls)), says);
    });
  }
});

describe('a server that refuses', () => {
  const rows = [
    { code: 16, says: /it takes neither key nor certificate/ },
    { code: 7, says: /it lets this user do nothing here/ },
  ];
  for (const { code, says } of rows) {
    it(`the connection by code ${code} isn't said to give no answer`, async () => {
      const server = createPlain();
      const headers = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': code };
      server.on('stream', (stream) => stream.respond(headers, { endStream: true }));
      const config = configOf(await listen(server));
      await assert.rejects(
        withClient(config, 5_000, () => Promise.resolve()),
        { kind: 'server-unreachable', message: says },
      );
      server.close();
    });
  }

  it('is not asked with an empty name for its namespace or its address', () => {
    for (const option of ['address', 'namespace']) {
      const message = `--${option} must not be empty.`;
      assert.throws(() => readServerConfig({ [option]: '' }), { kind: 'usage', message });
    }
  });

  it('is not asked with a certificate that is none', async () => {
    const clientCertPair = { crt: Buffer.from('x'), key: Buffer.from('y') };
    await assert.rejects(
      withClient(configOf('127.0.0.1:1', { clientCertPair }), 5_000, () => Promise.resolve()),
      { kind: 'usage', message: /^Temporal's configuration can't be used: / },
    );
  });
});
