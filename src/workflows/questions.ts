import { condition } from '@temporalio/workflow';
import type { z } from 'zod';
import { type Fault, throwFaults } from '../budget/errors.js';
import { faultsOf, rules } from '../budget/rules.js';
import { jsonFaults, toJsonSchema } from '../contract/json-schema.js';
import type { Answer, WaitingQuestion } from '../contract/messages.js';
import { callPolicy } from '../contract/policy-layers.js';
import type { Asked } from '../contract/question.js';
import { zodFaults } from '../contract/task-check.js';
import { policyOf, stateOf } from './call-plan.js';
import { refuseInvalid } from './invalid-request.js';
import { personsWord } from './person-wait.js';
import type { RunContext } from './run-context.js';

/** A question to a person. */
export type Question<Schema extends z.ZodType> = {
  readonly question: string;
  /** Milliseconds after which nobody's answer is taken. */
  readonly timeoutMs: number;
  /** What stands in where nobody answered in time. */
  readonly fallback?: { readonly value: z.output<Schema> };
};

/**
 * Asks a person and waits for the answer. Throws only when it is cancelled.
 * @throws ApplicationFailure of type `invalid-request` where the question itself is wrong
 */
export async function askPerson<Schema extends z.ZodType>(
  run: RunContext,
  schema: Schema,
  asked: Question<Schema>,
): Promise<Asked<z.output<Schema>>> {
  refuseInvalid(() => throwFaults(questionFaults(schema, asked)));
  const { question, fallback } = asked;
  const timeoutMs = Math.ceil(asked.timeoutMs);
  run.questions += 1;
  const shown: WaitingQuestion = {
    // The run's number is part of it: an answer that comes after a continue-as-new answers nothing else.
    questionId: `q${stateOf(run).run}.${run.questions}`,
    question,
    answerSchema: toJsonSchema(schema, 'input'),
    requestedAt: Date.now(),
    deadlineAt: Date.now() + timeoutMs,
  };
  const { questionId } = shown;
  const said = await personsWord(run, {
    list: run.people.questions,
    waiting: {
      id: questionId,
      shown,
      deciders: callPolicy(policyOf(run), { tenant: run.tenant }).deciders,
      faults: ({ answer }) => answerValueFaults(schema, answer),
    },
    notice: { kind: 'question', ...shown },
    until: (isSaid) => condition(isSaid, timeoutMs),
  });
  if (said !== undefined) return answered(schema, said.word);
  if (fallback === undefined) return { kind: 'denied', questionId, reason: 'deadline' };
  return { kind: 'degraded', value: fallback.value, questionId, reason: 'deadline' };
}

function answered<Schema extends z.ZodType>(
  schema: Schema,
  { questionId, answer, by, note }: Answer,
): Asked<z.output<Schema>> {
  const value = schema.parse(answer); // the update's validator has let no other answer in
  return { kind: 'ok', value, questionId, by, ...(note === undefined ? {} : { note }) };
}

function questionFaults<Schema extends z.ZodType>(
  schema: Schema,
  { question, timeoutMs }: Question<Schema>,
): Fault[] {
  return [
    ...jsonFaults(schema, 'input', 'ask.schema'),
    ...faultsOf('ask.question', question, rules.text),
    ...faultsOf('ask.timeoutMs', timeoutMs, rules.positiveNumber),
  ];
}

/** A schema that throws refuses the answer: the workflow's task would be repeated for ever otherwise. */
function answerValueFaults(schema: z.ZodType, answer: unknown): Fault[] {
  try {
    const parsed = schema.safeParse(answer, { jitless: true });
    return parsed.success ? [] : zodFaults(parsed.error, answer, 'answer.answer');
  } catch (error) {
    const rule = `must pass its schema, which failed: ${error instanceof Error ? error.message : String(error)}`;
    return [{ field: 'answer.answer', rule, value: answer }];
  }
}
