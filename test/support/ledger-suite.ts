import { describe } from 'node:test';
import type { OpenFixture } from './ledger-fixture.js';
import { describeClaims } from './ledger-suite-claims.js';
import { describeInput } from './ledger-suite-input.js';
import { describePeople } from './ledger-suite-people.js';
import { describeSettles } from './ledger-suite-settles.js';
import { describeUpkeep } from './ledger-suite-upkeep.js';

/** What every store of a ledger does: the rules of the port, each a test, the same for all stores. */
export function describeLedger(name: string, open: OpenFixture): void {
  describe(`the ${name} ledger`, () => {
    describeClaims(open);
    describeSettles(open);
    describePeople(open);
    describeUpkeep(open);
    describeInput(open);
  });
}
