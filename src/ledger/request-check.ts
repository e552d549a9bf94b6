import { throwFaults } from '../budget/errors.js';
import { faultsOf, type Rule, rules } from '../budget/rules.js';
import type { ClaimRequest } from './ledger.js';

const keyRule: Rule = {
  holds: (value) =>
    typeof value === 'string' && value !== '' && value.length <= 255 && !value.includes('\0'),
  text: 'must be a text of 1 to 255 characters, none of them NUL',
};

// an index of PostgreSQL takes 2,700 bytes, and a character has up to 4
const approvalRule: Rule = {
  holds: (value) =>
    value === undefined ||
    (typeof value === 'string' && value !== '' && value.length <= 600 && !value.includes('\0')),
  text: 'must be a text of 1 to 600 characters, none of them NUL',
};

/** @throws InvalidRequestError that names every fault of a claim */
export function checkClaim(request: ClaimRequest): void {
  throwFaults([
    ...faultsOf('key', request.key, keyRule),
    ...faultsOf('fingerprint', request.fingerprint, rules.text),
    ...faultsOf('owner', request.owner, rules.text),
    ...faultsOf('leaseMs', request.leaseMs, rules.positiveInteger),
    ...faultsOf('keyWindowMs', request.keyWindowMs, rules.nonNegativeInteger),
    ...faultsOf('approval', request.approval, approvalRule),
  ]);
}

/** @throws InvalidRequestError where it is no key */
export function checkKey(key: string): void {
  throwFaults(faultsOf('key', key, keyRule));
}

/** @throws InvalidRequestError where it is no length of a lease */
export function checkLease(leaseMs: number): void {
  throwFaults(faultsOf('leaseMs', leaseMs, rules.positiveInteger));
}
