import {
  implementModels,
  type ModelConfig,
  type ModelsOptions,
} from '../../src/activities/models/index.js';
import type { Envelope, FailureDetail } from '../../src/contract/call-header.js';
import type { ModelInput, ModelOutput } from '../../src/contract/index.js';
import { type ModelServer, type ModelTurn, startModelServer } from '../support/model-server.js';
import {
  type AttemptOptions,
  answeredAttempt,
  failedAttempt,
  type RunningAttempt,
  startAttempt,
} from './attempts.js';

export const providers = ['openai-compatible', 'openai', 'anthropic', 'google'] as const;

/** What is asked where a test says nothing else. */
export const question: ModelInput = {
  model: 'fast',
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Where is my parcel?' },
  ],
};

/** A model of one provider at a scripted server. */
export type ModelRig = {
  readonly server: ModelServer;
  /** Asks in one attempt that has to be answered. */
  readonly ask: (input?: Partial<ModelInput>, options?: AttemptOptions) => Promise<Told>;
  /** Begins to ask in one attempt. */
  readonly start: () => RunningAttempt;
  /** Asks in one attempt that has to fail. */
  readonly fail: (
    input?: Partial<ModelInput>,
    options?: AttemptOptions,
  ) => Promise<FailureDetail & { readonly message: string }>;
};

/** An answer, and what its envelope says of it. */
export type Told = { readonly answer: ModelOutput; readonly envelope: Envelope };

/** Lets a body ask a model that plays turns. */
export async function withModel(
  turns: readonly ModelTurn[],
  body: (rig: ModelRig) => Promise<void>,
  {
    config = {},
    key = 'test',
    ...options
  }: { readonly config?: Partial<ModelConfig>; readonly key?: string | null } & Omit<
    Partial<ModelsOptions>,
    'models'
  > = {},
): Promise<void> {
  const server = await startModelServer(turns);
  const fast: ModelConfig = {
    provider: 'openai-compatible',
    model: 'fake',
    baseUrl: server.url,
    ...(key === null ? {} : { apiKey: key }),
    ...config,
  };
  const { activity } = implementModels({ ...options, models: { fast } });
  const work = (input: Partial<ModelInput>) => () => activity({ ...question, ...input });
  try {
    await body({
      server,
      start: () => startAttempt(work({})),
      ask: async (input = {}, attempt) => {
        const envelope = await answeredAttempt(work(input), attempt);
        return { envelope, answer: envelope.value as ModelOutput }; // the output schema has taken it
      },
      fail: async (input = {}, attempt) => {
        const { failure, detail } = await failedAttempt(work(input), attempt);
        return { ...detail, message: failure.message };
      },
    });
  } finally {
    await server.stop();
  }
}
