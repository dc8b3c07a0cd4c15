import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type Supervisor, startCluster } from '@ticketing/dispatch-cluster';
import { createSocketRouter, type SocketRouter } from '@ticketing/socket-router';
import { routeFunction } from '../answers/route-function.ts';
import { servingEnvironment } from '../compose/process-start.ts';
import type { PrimaryStats } from '../figures/stats-document.ts';
import type { Flags } from '../flags/flag-specs.ts';
import { programUrl } from '../processes/program-url.ts';
import { createPrimary } from './primary-tasks.ts';
import { ANSWER_MS, type ServeContext, type StartServing } from './serving.ts';

/** Milliseconds that idle keep-alive clients get before their connection is closed. */
const LAME_DUCK_MS = 1000;
/** Milliseconds of a router's grace in which it has its processes end. */
const PROCESS_END_MS = 1000;
const TICKET_KEY_BYTES = 48;

/** Starts server processes that listen themselves. This process hands them connections, and holds what they share. */
export const serveByCluster: StartServing = async (context) => {
  const { flags } = context;
  const bound = await claimAddress(flags);
  const address = { host: bound.address, port: bound.port };
  const { supervisor, leave, reload } = startServerProcesses(context, {
    connections: 'shared',
    address,
    url: () => urlOf(flags, bound),
  });
  try {
    await supervisor.ready();
  } catch (error) {
    await supervisor.close();
    throw error;
  }
  return {
    url: urlOf(flags, bound),
    reload,
    inFlight: () => supervisor.stats().inFlight,
    async close() {
      await leave();
      await supervisor.close();
    },
  };
};

/** Starts server processes behind a router in this process, which chooses one by the request's head and hands the socket over, or proxies. */
export const serveByRouter: StartServing = async (context) => {
  const { flags, log } = context;
  const { supervisor, leave, reload } = startServerProcesses(context, {
    connections: 'external',
    address: flags,
    stats: () => ({ router: router.stats() }),
    url: () => urlOf(flags, bound),
  });
  const route = routeFunction(flags);
  const router: SocketRouter = createSocketRouter({
    mode: flags.accept === 'passthru' ? 'passthru' : 'socket',
    workers: supervisor,
    laterRequests: routeLaterRequests(flags),
    // Equal searches are one search: a process takes any number of them, so they stay together.
    balance: { loadFactor: flags.routeBy === 'search-key' ? Number.POSITIVE_INFINITY : 1.25 },
    protocol: flags.tlsCert === undefined ? 'http' : 'tls-sni',
    // A connection that waits longer than a search may take is answered too late.
    limits: { maxWaitMs: flags.deadlineMs },
    ...(route && { route }),
  });
  router.on('worker-stuck', ({ pid }) => log(`Server process ${pid} takes no connections`));
  let bound: AddressInfo;
  // The router closes its supervisor too.
  const close = (): Promise<void> =>
    router.close({ graceMs: endMs(flags) + PROCESS_END_MS, lameDuckMs: LAME_DUCK_MS });
  try {
    bound = await router.listen({ host: flags.host, port: flags.port });
    await router.ready();
    return {
      url: urlOf(flags, bound),
      reload,
      inFlight: () => supervisor.stats().inFlight,
      async close() {
        await leave();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
};

/** Way of connections to the server processes. */
interface ServerConnections {
  readonly connections: 'shared' | 'external';
  /** Address of server processes that listen. */
  readonly address: { readonly host: string; readonly port: number };
  /** Returns the address for clients; called once the server listens. */
  url(): string;
  /** Counters of the part that hands them connections. */
  stats?(): Pick<PrimaryStats, 'router'>;
}

/** The processes, and what comes before their end. */
interface ServerProcesses {
  readonly supervisor: Supervisor;
  /** Leaves the fleet, if the server is in one. */
  leave(): Promise<void>;
  reload(): Promise<void>;
}

function startServerProcesses(
  context: ServeContext,
  { connections, address, url, stats = () => ({}) }: ServerConnections,
): ServerProcesses {
  const { flags, carriersUrl, worms, startedAt, log } = context;
  const { tasks, leave, reload } = createPrimary(context, {
    supervisor: () => supervisor,
    url,
    stats,
  });
  const supervisor: Supervisor = startCluster({
    name: 'serving',
    entry: programUrl('serving-worker'),
    workers: flags.workers,
    connections,
    env: servingEnvironment({
      flags: { ...flags, ...address },
      carriersUrl,
      worms,
      startedAt,
      ticketKeys: randomBytes(TICKET_KEY_BYTES).toString('base64'),
    }),
    primaryTasks: tasks,
    // A connection that waits longer than a search may take is answered too late.
    maxWaitMs: flags.deadlineMs,
    shutdown: { lameDuckMs: LAME_DUCK_MS, graceMs: endMs(flags) },
  });
  supervisor.events.on('worker-exit', ({ pid, signal, exitCode }) => {
    if (pid === undefined) log('A server process could not be started; it is tried again');
    else if (exitCode !== 0) log(`Server process ${pid} ended (${signal ?? exitCode})`);
  });
  supervisor.events.on('circuit-open', ({ error }) => {
    log(`Server processes fail to start; one is tried from time to time: ${error}`);
  });
  return { supervisor, leave, reload };
}

/** Returns the milliseconds in which server processes end: a request that comes as the last of the lame duck is answered. */
function endMs({ deadlineMs }: Flags): number {
  return LAME_DUCK_MS + deadlineMs + ANSWER_MS;
}

/** Returns the URL at which clients on this machine reach a server. */
function urlOf({ tlsCert }: Flags, { address, family, port }: AddressInfo): string {
  const host = family === 'IPv6' ? `[${address}]` : address;
  return `${tlsCert === undefined ? 'http' : 'https'}://${host}:${port}`;
}

/**
 * Resolves a host name and port 0 to an address and a port. All server processes get those, also the ones that are
 * started later.
 *
 * @throws the socket's error if the address cannot be listened on
 */
async function claimAddress({ port, host }: Flags): Promise<AddressInfo> {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  const bound = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return bound;
}

/**
 * Decides what happens to a later request on a kept connection whose key belongs to another process: with plain HTTP its
 * worker forwards it. Mode `passthru` decides per request anyway.
 */
export function routeLaterRequests({ accept, routeBy, tlsCert }: Flags): 'connection' | 'forward' {
  const canSee = accept === 'socket' && tlsCert === undefined;
  return canSee && routeBy !== 'none' ? 'forward' : 'connection';
}
