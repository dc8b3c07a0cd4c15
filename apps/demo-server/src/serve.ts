import { compose } from './compose.ts';
import type { Flags } from './flags.ts';
import { buildServer } from './server.ts';

/** One serving process. */
export interface Serving {
  readonly url: string;
  readonly carriersUrl: string;
  /** Stops accepting, answers what is in flight, closes everything. Idempotent. */
  close(): Promise<void>;
}

/**
 * Composes, builds and listens. `now` (epoch ms) decides what today is.
 *
 * @throws the listening socket's error; nothing stays open then
 */
export async function serve(flags: Flags, now: () => number = Date.now): Promise<Serving> {
  const parts = await compose(flags, now);
  let closing: Promise<void> | undefined;
  const { ouigo: _secret, ...shown } = flags;
  const state = {
    parts,
    draining: () => closing !== undefined,
    config: () => ({
      ...shown,
      carriersUrl: parts.carriersUrl,
      processes: [
        { pid: process.pid, role: 'server' },
        ...parts.processes().map((pid) => ({ pid, role: 'task' })),
      ],
    }),
  };
  const app = await buildServer(state, flags);
  async function close(): Promise<void> {
    await app.close();
    await parts.close();
  }
  try {
    const url = await app.listen({ port: flags.port, host: flags.host });
    return { url, carriersUrl: parts.carriersUrl, close: () => (closing ??= close()) };
  } catch (error) {
    await close();
    throw error;
  }
}
