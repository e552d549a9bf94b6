import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { assertNever } from '../../budget/assert-never.js';
import { InvalidRequestError } from '../../budget/errors.js';
import { refusal } from './answers.js';
import { createCallCounters, type UpstreamStats } from './call-stats.js';
import { type FaultPlan, type FaultPlanInput, faultPlanSchema, type RouteName } from './faults.js';
import { createKeyedAnswers, type KeyedAnswers } from './keyed-answers.js';
import { listen } from './listen.js';
import { parseOptions } from './parse-options.js';
import { loggedCounters, type RequestLog } from './request-log.js';
import { findRoute, type Route } from './routes.js';
import { type CallContext, serveCall } from './serve-call.js';
import { readBody, sendJson } from './wire.js';

/** Options of {@link createUpstream}, as its schema reads them. */
export const upstreamOptionsSchema = z
  .strictObject({
    /** The only address it binds to; the lab is for this machine alone. @default 127.0.0.1 */
    host: z.literal('127.0.0.1').default('127.0.0.1'),
    /** 0 takes a free port. @default 0 */
    port: z.int().min(0).max(65_535).default(0),
    /** Same seed, same faults. @default 1 */
    seed: z.int().min(0).default(1),
    /** Whether a repeated `Idempotency-Key` gets the stored answer. @default true */
    honourKeys: z.boolean().default(true),
    /**
     * Closes each connection after one answer, so that what stands between and strikes connections
     * strikes each request alike. @default false
     */
    oneRequestEach: z.boolean().default(false),
    /** @default none */
    faults: faultPlanSchema.prefault({}),
  })
  .readonly();

/** Options as a caller writes them; all have defaults. */
export type UpstreamOptions = z.input<typeof upstreamOptionsSchema>;

/** The lab's faulty service: a shop and a model behind one port. */
export type Upstream = {
  /** Starts to listen. Throws `UpstreamStartError` where the port can't be taken. */
  start(): Promise<{ readonly url: string; readonly port: number }>;
  /** Returns the counts since the start or the last reset; a copy. */
  stats(): UpstreamStats;
  /** Returns every request since the start or the last reset; a copy. */
  requests(): RequestLog;
  /** Replaces all faults; their windows begin to count anew. Throws `InvalidRequestError`. */
  setFaults(faults: FaultPlanInput): void;
  /** Forgets counts, attempts, keys and effects; the faults stay, their windows begin anew. */
  reset(): void;
  /** Closes the port and every connection, dropped ones too. Safe to call twice. */
  stop(): Promise<void>;
};

/**
 * Makes an upstream that doesn't listen yet.
 * Throws `InvalidRequestError` that names each faulty option.
 */
export function createUpstream(options: UpstreamOptions = {}): Upstream {
  const settings = parseOptions({ schema: upstreamOptionsSchema, input: options, root: '' });
  let faults: FaultPlan = settings.faults;
  let earlier = noRequests();
  let setAt = performance.now();
  let records = freshRecords();
  let running: { readonly server: Server; readonly stopping: AbortController } | undefined;

  function stats(): UpstreamStats {
    const { seed, honourKeys } = settings;
    return { seed, honourKeys, ...records.counters.snapshot() };
  }

  function setFaults(next: FaultPlanInput): void {
    faults = parseOptions({ schema: faultPlanSchema, input: next, root: 'faults' });
    beginWindows();
  }

  function reset(): void {
    records = freshRecords();
    beginWindows();
  }

  function beginWindows(): void {
    earlier = noRequests();
    setAt = performance.now();
  }

  function contextOf(route: RouteName, signal: AbortSignal): CallContext {
    const { counters, keys, newId, requests } = records;
    const context = {
      seed: settings.seed,
      faults,
      earlierRequests: earlier[route],
      elapsedMs: performance.now() - setAt,
      requestsSoFar: requests[route],
      counters,
      keys: settings.honourKeys ? keys : undefined,
      signal,
      newId,
    };
    earlier[route] += 1;
    requests[route] += 1;
    return context;
  }

  async function serve(wire: Wire, signal: AbortSignal): Promise<void> {
    const { request, response } = wire;
    const route = findRoute(request.method ?? '', request.url ?? '');
    switch (route.kind) {
      case 'lookup':
      case 'refunds':
      case 'emails':
      case 'chat':
        return serveCall(route, wire, contextOf(route.kind, signal));
      case 'health':
        return sendJson(response, { status: 200, body: { status: 'ok' } });
      case 'stats':
        return sendJson(response, { status: 200, body: stats() });
      case 'requests':
        return sendJson(response, { status: 200, body: records.counters.log() });
      case 'reset':
        reset();
        return sendJson(response, { status: 200, body: stats() });
      case 'faults':
        return sendJson(response, await takeFaults(request, setFaults));
      case 'unknown-path':
      case 'wrong-method':
        return sendJson(response, misdirected(route));
      default:
        return assertNever(route);
    }
  }

  async function start(): Promise<{ url: string; port: number }> {
    if (running) {
      throw new InvalidRequestError([
        { field: 'start', rule: 'must be called once before stop', value: 'a second call' },
      ]);
    }
    const stopping = new AbortController();
    setMaxListeners(0, stopping.signal); // one of each request that waits
    const server = createServer((request, response) => {
      // Never rejects: `guard` ends what can't be served.
      void guard({ request, response }, () => serve({ request, response }, stopping.signal));
    });
    if (settings.oneRequestEach) server.maxRequestsPerSocket = 1;
    running = { server, stopping };
    try {
      const port = await listen(server, settings);
      return { url: `http://${settings.host}:${port}`, port };
    } catch (error) {
      running = undefined;
      throw error;
    }
  }

  async function stop(): Promise<void> {
    if (!running) return;
    const { server, stopping } = running;
    running = undefined;
    stopping.abort();
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    server.closeAllConnections();
    await closed;
  }

  return { start, stats, requests: () => records.counters.log(), setFaults, reset, stop };
}

type Records = Pick<CallContext, 'newId'> & {
  readonly counters: ReturnType<typeof loggedCounters>;
  readonly keys: KeyedAnswers;
  /** Requests of each route; names those that come without a call id. */
  readonly requests: Record<RouteName, number>;
};

type Wire = { readonly request: IncomingMessage; readonly response: ServerResponse };

/** Ends a request that failed half-way: the client left, the server stops, or a bug in the lab. */
async function guard({ response }: Wire, serve: () => Promise<void>): Promise<void> {
  try {
    await serve();
  } catch (error) {
    if (response.destroyed || response.headersSent) {
      response.destroy();
      return;
    }
    const message = error instanceof Error ? error.message : String(error);
    sendJson(response, refusal({ status: 500, code: 'lab-failed', message }));
  }
}

async function takeFaults(
  request: IncomingMessage,
  setFaults: (faults: FaultPlanInput) => void,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const body = await readBody(request);
  if (body.kind !== 'json') {
    return refusal({ status: 400, code: 'not-json', message: 'The faults are not JSON.' });
  }
  try {
    // The schema that setFaults parses with refuses what isn't a plan.
    setFaults(body.value as FaultPlanInput);
    return { status: 200, body: { faults: body.value } };
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    return refusal({ status: 400, code: error.code, message: error.message });
  }
}

function misdirected(route: Extract<Route, { kind: 'unknown-path' | 'wrong-method' }>): {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
} {
  if (route.kind === 'unknown-path') {
    return refusal({ status: 404, code: 'unknown-path', message: 'This server has no such path.' });
  }
  const message = `This path takes ${route.allowed} only.`;
  return {
    ...refusal({ status: 405, code: 'wrong-method', message }),
    headers: { allow: route.allowed },
  };
}

function noRequests(): Record<RouteName, number> {
  return { lookup: 0, refunds: 0, emails: 0, chat: 0 };
}

function freshRecords(): Records {
  let lastId = 0;
  return {
    counters: loggedCounters(createCallCounters()),
    keys: createKeyedAnswers(),
    requests: noRequests(),
    newId(prefix: string): string {
      lastId += 1;
      return `${prefix}-${lastId}`;
    },
  };
}
