import type { Accept, Flags } from './flags/flags.ts';
import { serveAlone } from './serve-alone.ts';
import { serveByCluster } from './serve-by-cluster.ts';
import { serveByRouter } from './serve-by-router.ts';
import { readTls } from './tls-files.ts';
import { startUpstream } from './upstream.ts';

/** The server, whatever processes it has. */
export interface Serving {
  readonly url: string;
  readonly carriersUrl: string;
  /** Replaces its workers one by one; no request fails. */
  reload(): Promise<void>;
  /** Stops accepting, answers what is in flight, closes everything. Idempotent. */
  close(): Promise<void>;
}

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
}

/**
 * Starts what the flags ask for, and resolves when it serves.
 *
 * @throws what keeps it from serving, such as the listening socket's error; nothing stays open then
 */
export async function serve(
  flags: Flags,
  { now = Date.now, log = () => {} }: ServeOptions = {},
): Promise<Serving> {
  // What is wrong with them is better said before anything is started.
  readTls(flags);
  const upstream = await startUpstream(flags, now);
  try {
    const given = { flags, carriersUrl: upstream.url, now, log };
    const { close, ...served } = await ways[flags.accept](given);
    let closing: Promise<void> | undefined;
    return {
      ...served,
      carriersUrl: upstream.url,
      close: () => (closing ??= close().then(() => upstream.close())),
    };
  } catch (error) {
    await upstream.close();
    throw error;
  }
}

/** What each way of serving is given. */
export interface ServeGiven {
  readonly flags: Flags;
  readonly carriersUrl: string;
  readonly now: () => number;
  readonly log: (line: string) => void;
}
