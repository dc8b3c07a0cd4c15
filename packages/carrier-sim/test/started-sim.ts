import { onTestFinished, vi } from 'vitest';
import { type CarrierSim, type CarrierSimOptions, startCarrierSim } from '../src/index.ts';
import { perCarrier } from '../src/timetable/sim-carriers.ts';

export const madrid = '7160000';
export const barcelona = '7171801';
export const date = '2026-12-01';
export const madridBarcelona = { origin: madrid, destination: barcelona, date };

const instant = { latency: { kind: 'fixed', ms: 0 } } as const;

/** Starts a simulator for one test, ten days before `date` and without latency unless told otherwise. */
export async function startedSim(options: CarrierSimOptions = {}): Promise<CarrierSim> {
  const { plan = {}, ...rest } = options;
  const sim = await startCarrierSim({
    now: () => Date.parse('2026-11-21T10:00:00Z'),
    ...rest,
    plan: perCarrier((carrier) => ({ ...instant, ...plan[carrier] })),
  });
  onTestFinished(() => sim.close());
  return sim;
}

/** Waits until a check passes, on a busy machine too. */
export function eventually(check: () => void): Promise<void> {
  return vi.waitFor(check, { timeout: 60_000, interval: 5 });
}
