import { createCarriers } from './carriers.ts';
import { compose } from './compose.ts';
import { buildServer } from './server.ts';
import { ownStatus, shownFlags } from './server-state.ts';
import type { ServeGiven, Serving } from './serving.ts';
import { readTls } from './tls-files.ts';

/** One process serves; its tasks may run in others. */
export async function serveAlone(given: ServeGiven): Promise<Omit<Serving, 'carriersUrl'>> {
  const { flags, carriersUrl, worms, now } = given;
  const carriers = createCarriers({ carriersUrl, ouigo: flags.ouigo }, now);
  const parts = await compose(flags, { carriers, worms, now });
  let isDraining = false;
  const app = await buildServer(
    {
      parts,
      draining: () => isDraining,
      config: () => shownFlags(flags, carriersUrl),
      processes: async () => [ownStatus(parts)],
    },
    {
      logRequests: flags.logRequests,
      requestTimeoutMs: flags.requestTimeoutMs,
      tls: readTls(flags),
    },
  );
  // Connections that were busy when the server began to stop would stay open for their keep-alive time.
  app.addHook('onResponse', async () => {
    if (isDraining) setImmediate(() => app.server.closeIdleConnections());
  });
  async function close(): Promise<void> {
    isDraining = true;
    await app.close();
    await parts.close();
  }
  try {
    const url = await app.listen({ port: flags.port, host: flags.host });
    return { url, reload: parts.reload, close };
  } catch (error) {
    await close();
    throw error;
  }
}
