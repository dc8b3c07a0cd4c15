import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createCarriers } from '../carriers/carriers.ts';
import { buildServer, readTls } from '../compose/build-server.ts';
import { compose } from '../compose/compose.ts';
import type { ProcessStatus } from '../figures/process-status.ts';
import { carrierSettings } from '../flags/carrier-settings.ts';
import { createOperator } from '../operator/operator.ts';
import { ANSWER_MS, type StartServing } from './serving.ts';

/** Serves in this process; its tasks may run in others. */
export const serveAlone: StartServing = async (context) => {
  const { flags, carriersUrl, worms, now, startedAt, telemetry } = context;
  const carriers = createCarriers(carrierSettings(flags, carriersUrl), now);
  const parts = await compose(flags, { carriers, worms, now, telemetry });
  let isDraining = false;
  let url = '';
  const processes = async (): Promise<ProcessStatus[]> => [
    {
      id: 'server-0',
      role: 'server',
      state: isDraining ? 'stopping' : 'ready',
      ageMs: now() - startedAt,
      ...parts.status(),
      traffic: connections.traffic(),
    },
  ];
  const operator = createOperator(context, { processes, reload: parts.reload, url: () => url });
  const app = await buildServer({
    flags,
    carriersUrl,
    parts,
    draining: () => isDraining,
    startedAt,
    processes,
    operator,
    tls: readTls(flags),
  });
  // Without this, connections that were busy when the server began to stop stay open for their keep-alive time.
  app.addHook('onResponse', async () => {
    if (isDraining) setImmediate(() => app.server.closeIdleConnections());
  });
  const connections = watchConnections(app.server);
  async function close(): Promise<void> {
    isDraining = true;
    await operator.close();
    const closed = app.close();
    connections.destroyIdle();
    const timer = setTimeout(connections.destroyAll, flags.deadlineMs + ANSWER_MS);
    await closed;
    clearTimeout(timer);
    await parts.close();
  }
  try {
    url = await app.listen({ port: flags.port, host: flags.host });
    return { url, reload: operator.reload, inFlight: connections.inFlight, close };
  } catch (error) {
    await close();
    throw error;
  }
};

/** Tracks connections, because a server that closes waits for those with half a head and for slow bodies. */
function watchConnections(server: Server): {
  inFlight(): number;
  traffic(): { readonly inFlight: number; readonly connections: number };
  destroyIdle(): void;
  destroyAll(): void;
} {
  const sockets = new Set<Socket>();
  const responses = new Set<ServerResponse>();
  const add = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  server.on('connection', add);
  // With TLS, `sockets` has those in a handshake too, but requests refer to the secure ones.
  const isTls = 'setSecureContext' in server;
  const secure = new Set<Socket>();
  server.on('secureConnection', (socket: Socket) => {
    secure.add(socket);
    socket.once('close', () => secure.delete(socket));
  });
  server.prependListener('request', (_, response) => {
    responses.add(response);
    response.once('close', () => responses.delete(response));
  });
  return {
    inFlight: () => responses.size,
    traffic: () => ({ inFlight: responses.size, connections: (isTls ? secure : sockets).size }),
    destroyIdle() {
      const busy = new Set<Socket>([...responses].map(({ req }) => req.socket));
      for (const socket of isTls ? secure : sockets) if (!busy.has(socket)) socket.destroy();
    },
    destroyAll() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
