import { readTls } from '../compose/build-server.ts';
import type { ServingStart } from '../compose/process-start.ts';
import { dispatchKind } from '../flags/dispatch-kinds.ts';
import type { Accept, Flags } from '../flags/flag-specs.ts';
import { readRates } from '../rates/rates-file.ts';
import { newPageKey } from '../search/page-tokens.ts';
import { startTelemetry } from '../telemetry/start-telemetry.ts';
import { telemetryOf } from '../telemetry/telemetry.ts';
import { prepareWorms } from '../worms/worm-databases.ts';
import type { FillListener } from '../worms/worm-store.ts';
import { serveAlone } from './serve-alone.ts';
import type { Serving, StartServing } from './serving.ts';
import { startUpstream } from './start-upstream.ts';

/** Loads the part that only several processes need. */
const serveByCluster: StartServing = async (context) =>
  (await import('./server-processes.ts')).serveByCluster(context);
const serveByRouter: StartServing = async (context) =>
  (await import('./server-processes.ts')).serveByRouter(context);

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
  if (flags.ratesFile !== undefined) readRates(flags.ratesFile);
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
    const { url: carriersUrl } = upstream;
    const fleet = await fleetFor({ flags, carriersUrl, worms: location, startedAt }, log);
    closers.unshift(() => fleet.close());
    const context = {
      // Server processes have the same key: each opens the pages that another one sealed.
      flags: { ...flags, natsUrl: fleet.natsUrl, pageKey: flags.pageKey ?? newPageKey() },
      carriersUrl,
      worms: location,
      now,
      startedAt,
      log,
      telemetry,
      ownHosts: fleet.pids,
      reloadHosts: fleet.reload,
    };
    const { close, ...served } = await startBy[flags.accept](context);
    closers.unshift(close);
    let closing: Promise<void> | undefined;
    return {
      ...served,
      carriersUrl,
      close: () => (closing ??= closeAll()),
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Starts a fleet if the flags ask for one and name no NATS server. Nothing of it is loaded otherwise. */
async function fleetFor(
  start: Omit<ServingStart, 'ticketKeys'>,
  log: (line: string) => void,
): Promise<{
  readonly natsUrl: string | undefined;
  pids(): readonly number[];
  reload(): Promise<void>;
  close(): Promise<void>;
}> {
  const { natsUrl, dispatch } = start.flags;
  if (dispatchKind(dispatch).inFleet !== true || natsUrl !== undefined) {
    return { natsUrl, pids: () => [], reload: async () => {}, close: async () => {} };
  }
  const { startEmbeddedFleet } = await import('../fleet/embedded-fleet.ts');
  return startEmbeddedFleet(start, log);
}
