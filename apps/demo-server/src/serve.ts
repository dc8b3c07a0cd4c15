import type { Accept, Flags } from './flags/flags.ts';
import { serveAlone } from './serve-alone.ts';
import { serveByCluster } from './serve-by-cluster.ts';
import { serveByRouter } from './serve-by-router.ts';
import type { ServeGiven, Serving } from './serving.ts';
import { readTls } from './tls-files.ts';
import { startUpstream } from './upstream.ts';
import { prepareWorms } from './worms/prepare-worms.ts';
import type { FillListener } from './worms/worm-store.ts';

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
