import { createPiscinaDispatcher } from '@ticketing/dispatch-piscina';
import type { Accept, Flags } from '../flags/flag-specs.ts';
import { readTls } from '../http/server.ts';
import { programUrl } from '../program-url.ts';
import { CARRIER_NAMES } from '../search/carriers.ts';
import { startTelemetry } from '../telemetry/start-telemetry.ts';
import { telemetryOf } from '../telemetry/telemetry.ts';
import type { UpstreamTasks } from '../upstream-tasks.ts';
import { prepareWorms } from '../worms/worm-databases.ts';
import type { FillListener } from '../worms/worm-store.ts';
import { serveAlone } from './serve-alone.ts';
import { serveByCluster, serveByRouter } from './server-processes.ts';
import type { Serving, StartServing } from './serving.ts';

const startBy: Record<Accept, StartServing> = {
  single: serveAlone,
  cluster: serveByCluster,
  passthru: serveByRouter,
  socket: serveByRouter,
};

export interface ServeOptions {
  /** Epoch ms. Default: the platform's clock, which workers use in any case. */
  readonly now?: () => number;
  /** Gets a line for each event that concerns operators. */
  readonly log?: (line: string) => void;
  /** Gets the progress of filling the store. */
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
  const startedAt = now();
  // Checks the files before anything is started.
  readTls(flags);
  const instance = flags.accept === 'single' ? 'server-0' : 'primary';
  const telemetry = await startTelemetry(telemetryOf(flags, instance), log);
  const closers = [telemetry.close];
  async function closeAll(): Promise<void> {
    for (const close of closers) await close();
  }
  try {
    const worms = await prepareWorms(flags, { count: flags.worms, onFilled, signal });
    closers.unshift(worms.close);
    const upstream = await startUpstream(flags, now);
    closers.unshift(() => upstream.close());
    const { location } = worms;
    const context = {
      flags,
      carriersUrl: upstream.url,
      worms: location,
      now,
      startedAt,
      log,
      telemetry,
    };
    const { close, ...served } = await startBy[flags.accept](context);
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

/** The carriers' server. */
interface Upstream {
  readonly url: string;
  close(): Promise<void>;
}

/** So long because a simulator that answers late is busy; replacing it would not help. */
const HEALTH_MS = 600_000;

/**
 * Returns the flag's URL, or starts a simulator on a free loopback port. With a primary the simulator runs in a thread, with the
 * platform's clock: it must not block the event loop that accepts connections.
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
