import { describe } from 'node:test';
import type { OpenLimiterFixture } from './limiter-fixture.js';
import { describeFaults } from './limiter-suite-faults.js';
import { describeQueue } from './limiter-suite-queue.js';
import { describeReservations } from './limiter-suite-reservations.js';
import { describeWaits } from './limiter-suite-waits.js';

/** What every limiter does: the port's rules and the faults of others, each a test, the same for all stores. */
export function describeLimiter(name: string, open: OpenLimiterFixture): void {
  describe(`the ${name} limiter`, () => {
    describeFaults(open);
    describeQueue(open);
    describeReservations(open);
    describeWaits(open);
  });
}
