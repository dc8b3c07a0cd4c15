import type { Flags } from './flags/flags.ts';
import { serveAlone } from './serve-alone.ts';
import { serveByCluster } from './serve-by-cluster.ts';
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
  const upstream = await startUpstream(flags, now);
  try {
    const given = { flags, carriersUrl: upstream.url, now, log };
    const { close, ...served } =
      flags.accept === 'single' ? await serveAlone(given) : await serveByCluster(given);
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
