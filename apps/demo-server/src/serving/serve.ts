import { createPiscinaDispatcher } from '@ticketing/dispatch-piscina';
import type { Accept, Flags } from '../flags/flag-specs.ts';
import { programUrl } from '../program-url.ts';
import { CARRIER_NAMES } from '../search/carriers.ts';
import type { UpstreamTasks } from '../upstream-tasks.ts';
import { prepareWorms } from '../worms/worm-databases.ts';
import type { FillListener } from '../worms/worm-store.ts';
import { serveAlone } from './serve-alone.ts';
import { serveByRouter } from './serve-by-router.ts';
import { serveByCluster } from './server-processes.ts';
import type { ServeGiven, Serving } from './serving.ts';
import { readTls } from './tls-files.ts';

const ways: Record<Accept, (given: ServeGiven) => Promise<Omit<Serving, 'carriersUrl'>>> = {
  single: serveAlone,
  cluster: serveByCluster,
  passthru: serveByRouter,
  socket: serveByRouter,
};

/** How the server is started. */
export interface ServeOptions {
  /** What today is: epoch ms. Default: the platform's; workers have that anyway. */
  readonly now?: () => number;
  /** Is given a line when something happens that operators want to know. */
  readonly log?: (line: string) => void;
  /** Is told how far the filling of the store is. */
  readonly onFilled?: FillListener;
  /** Ends the filling of the store, and with it the start. */
  readonly signal?: AbortSignal;
}

/**
 * Starts what the flags ask for, and resolves when it serves.
 *
 * @throws what keeps it from serving, such as the listening socket's error; nothing stays open then
 */
export async function serve(
  flags: Flags,
  {
    now = Date.now,
    log = () => {},
    onFilled = () => {},
    signal = new AbortController().signal,
  }: ServeOptions = {},
): Promise<Serving> {
  // What is wrong with them is better said before anything is started.
  readTls(flags);
  const worms = await prepareWorms(flags, { count: flags.worms, onFilled, signal });
  const closers = [worms.close];
  async function closeAll(): Promise<void> {
    for (const close of closers) await close();
  }
  try {
    const upstream = await startUpstream(flags, now);
    closers.unshift(() => upstream.close());
    const given = { flags, carriersUrl: upstream.url, worms: worms.location, now, log };
    const { close, ...served } = await ways[flags.accept](given);
    closers.unshift(close);
    let closing: Promise<void> | undefined;
    return {
      ...served,
      carriersUrl: upstream.url,
      close: () => (closing ??= closeAll()),
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Where the carriers answer. */
interface Upstream {
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
async function startUpstream(flags: Flags, now: () => number): Promise<Upstream> {
  const { carriersUrl, latency, accept } = flags;
  if (carriersUrl !== undefined) return { url: carriersUrl, close: async () => {} };
  if (accept === 'single') {
    const { startCarrierSim } = await import('@ticketing/carrier-sim');
    return startCarrierSim({
      now,
      plan: Object.fromEntries(CARRIER_NAMES.map((name) => [name, { latency }])),
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
