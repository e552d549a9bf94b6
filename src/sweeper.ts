import { Runtime } from '@temporalio/worker';
import type { Ledger } from './ledger/ledger.js';

const SWEEP_EVERY_MS = 60_000;

/**
 * Sweeps the ledger once a minute while a worker runs. A sweep that fails is logged and tried again a minute
 * later: entries that stay longer do no harm.
 */
export async function sweepWhile(ledger: Ledger, run: () => Promise<void>): Promise<void> {
  let sweeping: Promise<unknown> = Promise.resolve();
  const sweep = (): void => {
    sweeping = ledger.sweep().catch((error: unknown) => {
      Runtime.instance().logger.warn(`The ledger could not be swept: ${String(error)}`);
    });
  };
  const timer = setInterval(sweep, SWEEP_EVERY_MS);
  timer.unref();
  try {
    await run();
  } finally {
    clearInterval(timer);
    await sweeping;
  }
}
