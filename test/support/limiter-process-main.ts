import { type Limiter, openPostgresLimiter } from '../../src/limits/index.js';
import type { LimiterOrder, LimiterTold } from './limiter-process.js';
import { raceFigures } from './limiter-race.js';

type Away = { readonly tokens: number; readonly ticket?: string };

let limiter: Limiter | undefined;
let away: readonly Away[] = [];

async function obey(order: LimiterOrder): Promise<LimiterTold> {
  if (order.kind === 'open') {
    limiter = await openPostgresLimiter({ connectionString: order.url, maxConnections: 4 });
    return { admitted: [], away: 0 };
  }
  const admitted: number[] = [];
  const asks: readonly Away[] = [...away, ...order.tokens.map((tokens) => ({ tokens }))];
  const left = asks.map(async (asked): Promise<Away | undefined> => {
    const answer = await limiter?.admit({
      ...asked,
      key: { downstream: 'model' },
      figures: raceFigures,
      maxWaitMs: 0,
    });
    if (answer?.kind === 'later') return { tokens: asked.tokens, ticket: answer.ticket };
    admitted.push(asked.tokens);
    return undefined;
  });
  away = (await Promise.all(left)).filter((each) => each !== undefined);
  return { admitted, away: away.length };
}

process.on('message', (order: LimiterOrder) => {
  // its end is the message; an error ends the process, which its parent tells
  void obey(order).then((told) => process.send?.(told));
});
process.on('disconnect', () => process.exit(0));
