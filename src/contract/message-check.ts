import type { Fault } from '../budget/errors.js';
import { type Rule, rules } from '../budget/rules.js';
import type { BatchWord } from './batch.js';
import { deliveredPolicyFaults } from './delivered-policy.js';
import { isJsonAtTop, isPlainObject } from './json.js';
import type { Answer, Decision, PolicyChange, Settlement } from './messages.js';

type Field = Rule & { readonly isOptional?: boolean };
type Fields<Message> = { readonly [Name in keyof Required<Message>]: Field };

const BY_LENGTH = 200;
const NOTE_LENGTH = 2_000;

const upTo = (length: number, rule: Rule): Rule => ({
  text: `${rule.text}, of at most ${length} characters`,
  holds: (value) => rule.holds(value) && String(value).length <= length,
});
const text: Rule = { text: 'must be a text', holds: (value) => typeof value === 'string' };
const by = upTo(BY_LENGTH, rules.text);
const note: Field = { ...upTo(NOTE_LENGTH, text), isOptional: true };
const json: Rule = { text: 'must be there, and be JSON (null counts)', holds: isJsonAtTop };

const decisionFields: Fields<Decision> = {
  callId: rules.text,
  fingerprint: rules.text,
  approve: rules.boolean,
  by,
  note,
};
const answerFields: Fields<Answer> = { questionId: rules.text, answer: json, by, note };
const settlementFields: Fields<Settlement> = {
  key: rules.text,
  done: rules.boolean,
  result: { text: json.text, holds: () => true, isOptional: true },
  by,
  note,
};

const policyFields: Fields<PolicyChange> = { policy: rules.object, by, note };

/** Lists what is wrong with the form of a decision. Works without zod, as the gate must. */
export function decisionFaults(decision: unknown): Fault[] {
  return messageFaults('decision', decision, decisionFields);
}

/** Lists what is wrong with the form of an answer. */
export function answerFaults(answer: unknown): Fault[] {
  return messageFaults('answer', answer, answerFields);
}

/** Lists what is wrong with the form of what steers a batch. */
export function batchWordFaults(word: unknown): Fault[] {
  return messageFaults('word', word, { by, note } satisfies Fields<BatchWord>);
}

/** Lists what is wrong with the form of a settlement: only a write that has happened has a result. */
export function settlementFaults(settlement: unknown): Fault[] {
  const faults = messageFaults('settlement', settlement, settlementFields);
  if (faults.length > 0 || !isPlainObject(settlement)) return faults;
  const { done, result } = settlement;
  const isRight = done === true ? json.holds(result) : result === undefined;
  if (isRight) return [];
  const rule =
    done === true ? `${json.text} where done is true` : 'must be absent where done is false';
  return [{ field: 'settlement.result', rule, value: result }];
}

/** Lists what is wrong with a change of policy, the policy's own faults included. */
export function policyChangeFaults(change: unknown): Fault[] {
  const faults = messageFaults('change', change, policyFields);
  if (!isPlainObject(change) || !rules.object.holds(change.policy)) return faults;
  return [...faults, ...deliveredPolicyFaults(change.policy, 'change.policy')];
}

function messageFaults(
  name: string,
  message: unknown,
  fields: Readonly<Record<string, Field>>,
): Fault[] {
  const names = Object.keys(fields).join(', ');
  if (!isPlainObject(message)) {
    return [{ field: name, rule: `must be an object with ${names}`, value: message }];
  }
  const strange = Object.keys(message)
    .filter((field) => !Object.hasOwn(fields, field))
    .map((field) => ({
      field: `${name}.${field}`,
      rule: `must be one of ${names}`,
      value: field,
    }));
  const wrong = Object.entries(fields).flatMap(([field, { isOptional, holds, text: rule }]) => {
    const value = message[field];
    if (value === undefined && isOptional === true) return [];
    return holds(value) ? [] : [{ field: `${name}.${field}`, rule, value }];
  });
  return [...strange, ...wrong];
}
