import { parseArgs } from 'node:util';
import { UsageError } from './demo-errors.js';

/** What the demo was asked to do. */
export type DemoOptions = {
  readonly tickets: number;
  readonly seed: number;
  readonly json: boolean;
  readonly ports: {
    readonly server?: number;
    readonly ui?: number;
    readonly upstream?: number;
  };
  /** A real model; the lab's own where absent. */
  readonly model?: RealModel;
};

/** A real model with its price limits. */
export type RealModel = {
  readonly name: string;
  readonly baseUrl: string;
  readonly key: string;
  readonly maxCalls: number;
  readonly maxTokens: number;
};

/** What --help prints. */
export const help = `npm start [-- options]

Runs a support agent on a real Temporal server against a faulty shop and model, kills a worker on
the way, and compares holdfast with three usual retry settings under the same faults.

  --tickets <number>     Tickets to work through. Default: 24.
  --seed <number>        Same seed, same faults. Default: 1.
  --json                 The result as JSON on standard output, progress on standard error.
  --ports <list>         Ports of server, UI and upstream, for example 7300,8300,4300.
                         Default: 7233 and 8233 where they are free, else free ones.
  --model <name>         A real model behind an OpenAI-compatible API in the lab model's place.
                         Its key is OPENAI_API_KEY, its address OPENAI_BASE_URL
                         (default https://api.openai.com/v1). Only holdfast's column is run then.
  --max-calls <number>   Calls that the real model gets at most. Default: 100.
  --max-tokens <number>  Tokens that the real model may use at most. Default: 100000.
  --help                 This text.

On a terminal the Temporal UI stays up until Ctrl-C. Exit codes: 0 done, 1 something could not be
started or a real model answered no call, 2 wrong options, 130 stopped by Ctrl-C before the end.
`;

/**
 * Reads the command line; `available` is how many tickets there are.
 * @throws UsageError for an unknown option, a value out of its range, or a model without a key
 */
export function readOptions(input: {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly available: number;
}): DemoOptions | 'help' {
  const values = parse(input.args);
  if (values.help === true) return 'help';
  const whole = (name: keyof typeof values, range: Range): number =>
    wholeNumber(`--${name}`, values[name] as string | undefined, range); // every other option is text
  const { available } = input;
  const capsWithoutModel =
    values.model === undefined && (values['max-calls'] ?? values['max-tokens']);
  if (capsWithoutModel) throw new UsageError('--max-calls and --max-tokens need --model <name>.');
  return {
    tickets: whole('tickets', { least: 1, most: available, otherwise: Math.min(available, 24) }),
    seed: whole('seed', { least: 0, most: 2 ** 31, otherwise: 1 }),
    json: values.json === true,
    ports: readPorts(values.ports),
    ...(values.model === undefined
      ? {}
      : {
          model: {
            ...readModel(values.model, input.env),
            maxCalls: whole('max-calls', { least: 1, most: 1e6, otherwise: 100 }),
            maxTokens: whole('max-tokens', { least: 1, most: 1e9, otherwise: 100_000 }),
          },
        }),
  };
}

type Range = { readonly least: number; readonly most: number; readonly otherwise: number };

const options = {
  tickets: { type: 'string' },
  seed: { type: 'string' },
  json: { type: 'boolean' },
  ports: { type: 'string' },
  model: { type: 'string' },
  'max-calls': { type: 'string' },
  'max-tokens': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

function parse(args: readonly string[]): Values {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    // parseArgs throws a TypeError that names the argument
    throw new UsageError(`${error instanceof Error ? error.message : String(error)} See --help.`);
  }
}

function wholeNumber(name: string, text: string | undefined, range: Range): number {
  if (text === undefined) return range.otherwise;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= range.least && value <= range.most) return value;
  throw new UsageError(
    `${name} must be a whole number from ${range.least} to ${range.most}, got ${text}.`,
  );
}

function readPorts(text: string | undefined): DemoOptions['ports'] {
  if (text === undefined) return {};
  const [server, ui, upstream, ...others] = text
    .split(',')
    .map((part) => wholeNumber('--ports', part.trim(), { least: 1, most: 65_535, otherwise: 0 }));
  if (server === undefined || ui === undefined || upstream === undefined || others.length > 0) {
    throw new UsageError(`--ports takes three ports, of server, UI and upstream, got ${text}.`);
  }
  return { server, ui, upstream };
}

function readModel(
  name: string,
  env: NodeJS.ProcessEnv,
): Pick<RealModel, 'name' | 'baseUrl' | 'key'> {
  const key = env.OPENAI_API_KEY;
  if (name.trim() === '') throw new UsageError('--model takes the name of a model.');
  if (key === undefined || key === '') {
    throw new UsageError(
      `--model ${name} needs a key: set OPENAI_API_KEY (and OPENAI_BASE_URL for another provider), ` +
        'or leave --model out to use the lab model.',
    );
  }
  const baseUrl = env.OPENAI_BASE_URL || 'https://api.openai.com/v1'; // empty is how shells unset
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new UsageError(
      `OPENAI_BASE_URL must be a URL that begins with http:// or https://, got ${baseUrl}.`,
    );
  }
  return { name, key, baseUrl: baseUrl.replace(/\/+$/, '') };
}
