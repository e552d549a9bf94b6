import type { ActivitySums } from './activity-sums.js';
import type { AuditOptions, Finding, Severity } from './finding.js';
import type { Seen } from './named.js';

/** Words by which names of activities begin that change something. */
const writeVerbs = new Set(
  (
    'add apply approve book buy cancel capture charge close create credit debit delete deliver deploy email ' +
    'grant insert issue mail merge move notify order pay place post print provision publish purchase refund ' +
    'register release remove reserve revoke sell send ship sms submit subscribe terminate transfer trigger ' +
    'update upload upsert withdraw wire write'
  ).split(' '),
);

const keySetting =
  "the policy module's tools: { <type>: { effect: 'write' } } with a ledger (README, An effect happens once), " +
  'or an idempotency key of your own that stays the same over attempts';

/** Returns what leaves the effects of a type of activity to happen twice. */
export function findWrites(
  subject: string,
  { spots }: ActivitySums,
  { writes }: Pick<AuditOptions, 'writes'>,
): readonly Finding[] {
  const found: Finding[] = [];
  const add = (seen: Seen, facts: { severity: Severity; what: string; setting: string }): void => {
    if (seen.count === 0) return;
    const evidence = { calls: seen.count };
    const none = { wastedAttempts: 0, wastedMicros: 0 };
    found.push({
      kind: 'write-without-key',
      subject,
      ...facts,
      evidence,
      ...none,
      examples: seen.examples,
    });
  };
  add(spots.unkeyed, {
    severity: 'high',
    what: `${spots.unkeyed.count} governed writes had no key: the ledger can't tell that one has happened.`,
    setting: 'arguments that JSON can carry, from which the key is made',
  });
  add(spots.observedWrite, {
    severity: 'medium',
    what: `${spots.observedWrite.count} writes ran in the mode observe, in which nothing is claimed, and may be sent again.`,
    setting: "the policy's mode: 'on'",
  });
  if (writes.includes(subject)) {
    add(spots.unguarded, {
      severity: 'high',
      what: `${spots.unguarded.count} calls of this write may be sent again, and no key keeps the effect from happening twice.`,
      setting: keySetting,
    });
  } else if (soundsLikeWrite(subject)) {
    add(spots.unguarded, {
      severity: 'low',
      what: `Check: by its name it changes something, and ${spots.unguarded.count} calls may be sent again without a key. --writes ${subject} says that it does.`,
      setting: keySetting,
    });
  }
  return found;
}

/** Tells whether a name such as `chargeCard`, `send_mail` or `orders.Create` begins with the word of a change. */
export function soundsLikeWrite(name: string): boolean {
  const last = name.split(/[.:/]/).at(-1) ?? '';
  const [first = ''] = last.split(/(?<=[a-z0-9])(?=[A-Z])|[_\-\s]+/).filter((word) => word !== '');
  return writeVerbs.has(first.toLowerCase());
}
