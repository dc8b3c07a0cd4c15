import { createPiscinaDispatcher } from '@ticketing/dispatch-piscina';
import type { Flags } from './flags/flags.ts';
import { programUrl } from './program-url.ts';
import type { UpstreamTasks } from './upstream-tasks.ts';

/** Where the carriers answer. */
export interface Upstream {
  readonly url: string;
  close(): Promise<void>;
}

/** A simulator that is busy answers late; nothing is gained by replacing it. */
const HEALTH_MS = 600_000;

/**
 * The given URL, or a simulator on a free loopback port that lives as long as the server. With a primary the simulator has a
 * thread of its own, so that it does not hold the event loop that connections come through, and the platform's clock.
 * `now`: epoch ms.
 */
export async function startUpstream(flags: Flags, now: () => number): Promise<Upstream> {
  const { carriersUrl, latency, accept } = flags;
  if (carriersUrl !== undefined) return { url: carriersUrl, close: async () => {} };
  if (accept === 'single') {
    const { startCarrierSim } = await import('@ticketing/carrier-sim');
    return startCarrierSim({
      now,
      plan: { renfe: { latency }, ouigo: { latency }, avlo: { latency } },
    });
  }
  const thread = createPiscinaDispatcher<UpstreamTasks>(programUrl('upstream-tasks'), {
    name: 'carriers',
    max: 1,
    healthMs: HEALTH_MS,
  });
  try {
    const url = await thread.run('start', { latency });
    return { url, close: () => thread.close() };
  } catch (error) {
    await thread.close();
    throw error;
  }
}
