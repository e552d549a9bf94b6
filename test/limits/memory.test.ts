import { createMemoryLimiter } from '../../src/limits/memory-limiter.js';
import { describeLimiter } from '../support/limiter-suite.js';
import { createManualClock } from '../support/manual-clock.js';

describeLimiter('memory', async () => {
  const clock = createManualClock();
  const limiter = createMemoryLimiter(clock);
  return {
    limiter,
    elapse: clock.elapse,
    queued: async () => {}, // who asks takes its place at once
    dispose: () => limiter.close(),
  };
});
