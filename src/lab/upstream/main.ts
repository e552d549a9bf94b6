import { parseArgs } from 'node:util';
import { HoldfastError, InvalidRequestError } from '../../budget/errors.js';
import { createUpstream, type UpstreamOptions } from './upstream.js';

const help = `Runs the lab's faulty service on 127.0.0.1: a shop and a model behind one port.

Usage: node dist/src/lab/upstream/main.js [options]

  --port <number>       Port to listen on; 0 takes a free one. Default: 4010.
  --seed <number>       Same seed, same faults. Default: 1.
  --faults <json>       Faults by route, for example
                        '{"refunds":{"faults":[{"kind":"drop","rate":0.3}]}}'.
  --no-honour-keys      Ignore Idempotency-Key: each call has an effect.
  --one-request-each    Close each connection after one answer.
  --help                Show this text.

Routes: GET /orders/:id, POST /refunds, POST /emails, POST /v1/chat/completions,
        GET /stats, GET /requests, GET /health, POST /reset, POST /faults.
Exit codes: 0 stopped by a signal, 1 the port can't be taken, 2 wrong options.
`;

const defaultPort = 4010;

process.exitCode = await main(process.argv.slice(2));

/** Runs until a signal, or until the parent that holds its channel is gone. */
async function main(args: readonly string[]): Promise<number> {
  try {
    const options = readOptions(args);
    if (options === 'help') {
      process.stdout.write(help);
      return 0;
    }
    const upstream = createUpstream(options);
    const { url } = await upstream.start();
    process.stdout.write(`The lab upstream listens on ${url}\n`);
    await stopSignal();
    await upstream.stop();
    return 0;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const isStartFailure = error instanceof HoldfastError && error.kind === 'upstream-start';
    process.stderr.write(isStartFailure ? `${message}\n` : `${message}\nSee --help.\n`);
    return isStartFailure ? 1 : 2;
  }
}

function readOptions(args: readonly string[]): UpstreamOptions | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string' },
      seed: { type: 'string' },
      faults: { type: 'string' },
      'no-honour-keys': { type: 'boolean', default: false },
      'one-request-each': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    port: values.port === undefined ? defaultPort : readNumber('--port', values.port),
    ...(values.seed !== undefined && { seed: readNumber('--seed', values.seed) }),
    ...(values.faults !== undefined && { faults: readJson(values.faults) }),
    honourKeys: !values['no-honour-keys'],
    oneRequestEach: values['one-request-each'],
  };
}

function readNumber(field: string, value: string): number {
  if (/^\d{1,15}$/u.test(value)) return Number(value);
  throw new InvalidRequestError([{ field, rule: 'must be a whole number', value }]);
}

function readJson(value: string): NonNullable<UpstreamOptions['faults']> {
  try {
    // createUpstream parses the value by its schema and refuses what isn't a plan of faults.
    return JSON.parse(value) as NonNullable<UpstreamOptions['faults']>;
  } catch {
    throw new InvalidRequestError([{ field: '--faults', rule: 'must be JSON', value }]);
  }
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
    process.once('disconnect', () => resolve());
  });
}
