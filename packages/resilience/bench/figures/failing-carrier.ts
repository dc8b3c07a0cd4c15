// A carrier that answers every request with 500, asked with three attempts.
import { createGuard } from '../../src/index.ts';
import { steadyLoad } from './steady-load.ts';
import { startUpstream } from './upstream.ts';

const RETRY = { maxAttempts: 3, baseMs: 10 };

/** Requests that reached the carrier. */
export interface FailingFigures {
  /** Calls of each client. */
  readonly calls: number;
  /** Of a client that tries three times. */
  readonly naive: number;
  /** Of a guard with retries alone. */
  readonly budgeted: number;
  /** Of a guard with retries and a circuit. */
  readonly guarded: number;
}

/** Asks a carrier that fails, as three clients do. */
export async function measureFailingCarrier(load: {
  readonly perSecond: number;
  readonly seconds: number;
}): Promise<FailingFigures> {
  const plan = { latency: { kind: 'fixed', ms: 20 }, fault: { kind: 'error' } } as const;
  await using upstream = await startUpstream({ naive: plan, budgeted: plan, guarded: plan });
  await using budgeted = createGuard({ name: 'budgeted', retry: RETRY });
  await using guarded = createGuard({ name: 'guarded', retry: RETRY, circuit: {} });
  const [calls] = await Promise.all([
    steadyLoad(load, async () => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await upstream.ask('naive');
        } catch (error) {
          if (attempt === RETRY.maxAttempts) throw error;
        }
      }
    }),
    steadyLoad(load, () => budgeted.run(({ signal }) => upstream.ask('budgeted', signal))),
    steadyLoad(load, () => guarded.run(({ signal }) => upstream.ask('guarded', signal))),
  ]);
  return {
    calls: calls.length,
    naive: upstream.arrived('naive'),
    budgeted: upstream.arrived('budgeted'),
    guarded: upstream.arrived('guarded'),
  };
}
