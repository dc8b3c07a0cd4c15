import { UPSTREAM_NAMES } from '../carriers/carriers.ts';
import type { Flags } from '../flags/flag-specs.ts';
import { programUrl } from '../processes/program-url.ts';
import type { UpstreamTasks } from './upstream-tasks.ts';

/** The carriers' server. */
export interface Upstream {
  readonly url: string;
  close(): Promise<void>;
}

/** Ten minutes, because a simulator that answers late is busy: a replacement would not help. */
const HEALTH_MS = 600_000;

/**
 * Returns the flag's URL, or starts a simulator on a free loopback port. With a primary the simulator runs in a thread, with the
 * platform's clock: it must not block the event loop that accepts connections.
 */
export async function startUpstream(
  { carriersUrl, latency, accept }: Pick<Flags, 'carriersUrl' | 'latency' | 'accept'>,
  now: () => number,
): Promise<Upstream> {
  if (carriersUrl !== undefined) return { url: carriersUrl, close: async () => {} };
  if (accept === 'single') {
    const { startCarrierSim } = await import('@ticketing/carrier-sim');
    return startCarrierSim({
      now,
      plan: Object.fromEntries(UPSTREAM_NAMES.map((name) => [name, { latency }])),
    });
  }
  const { createPiscinaDispatcher } = await import('@ticketing/dispatch-piscina');
  const thread = createPiscinaDispatcher<UpstreamTasks>(programUrl('serving/upstream-tasks'), {
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
