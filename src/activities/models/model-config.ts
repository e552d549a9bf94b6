import type { LanguageModel } from 'ai';
import { assertNever } from '../../budget/assert-never.js';
import type { Fault } from '../../budget/errors.js';
import { rules } from '../../budget/rules.js';

/** Which model stands behind a configured name, and how it is reached. */
export type ModelConfig = {
  readonly provider: 'openai-compatible' | 'openai' | 'anthropic' | 'google';
  /** The provider's own name of the model. */
  readonly model: string;
  /** The API's address. Needed for `openai-compatible`. @default the provider's own */
  readonly baseUrl?: string;
  /** @default the environment variable that the provider's own SDK reads, such as OPENAI_API_KEY */
  readonly apiKey?: string;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the answer is streamed: then the first token has a deadline of its own. @default false */
  readonly stream?: boolean;
  /** Milliseconds until the first token; needs `stream`. @default the attempt's own time */
  readonly firstTokenTimeoutMs?: number;
};

type Settings = {
  readonly baseURL?: string;
  readonly apiKey?: string;
  readonly headers?: Record<string, string>;
};

const providers = ['openai-compatible', 'openai', 'anthropic', 'google'];

/** Lists what is wrong with a configuration. */
export function configFaults(config: ModelConfig, field: string): Fault[] {
  const { provider, model, baseUrl, stream = false, firstTokenTimeoutMs } = config;
  const faults: Fault[] = [];
  const need = (holds: boolean, at: string, rule: string, value: unknown): void => {
    if (!holds) faults.push({ field: `${field}.${at}`, rule, value });
  };
  need(
    providers.includes(provider),
    'provider',
    `must be one of ${providers.join(', ')}`,
    provider,
  );
  need(rules.text.holds(model), 'model', rules.text.text, model);
  const isReachable = provider !== 'openai-compatible' || rules.text.holds(baseUrl);
  need(isReachable, 'baseUrl', 'must be said for openai-compatible', baseUrl);
  if (firstTokenTimeoutMs !== undefined) {
    const { holds, text } = rules.positiveNumber;
    need(holds(firstTokenTimeoutMs), 'firstTokenTimeoutMs', text, firstTokenTimeoutMs);
    need(stream, 'firstTokenTimeoutMs', 'needs stream: true', firstTokenTimeoutMs);
  }
  return faults;
}

/** Loads the provider of a configuration, and no other, and makes its model. */
export async function loadModel(config: ModelConfig): Promise<LanguageModel> {
  const { provider, model, baseUrl, apiKey, headers } = config;
  const settings: Settings = {
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
  };
  switch (provider) {
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      return createOpenAICompatible({
        ...settings,
        baseURL: baseUrl ?? '',
        name: 'openai-compatible',
        includeUsage: true,
        supportsStructuredOutputs: true,
      }).chatModel(model);
    }
    case 'openai':
      return (await import('@ai-sdk/openai')).createOpenAI(settings)(model);
    case 'anthropic':
      return (await import('@ai-sdk/anthropic')).createAnthropic(settings)(model);
    case 'google':
      return (await import('@ai-sdk/google')).createGoogleGenerativeAI(settings)(model);
    default:
      return assertNever(provider);
  }
}
