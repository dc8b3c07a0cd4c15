import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type Supervisor, startCluster } from '@ticketing/dispatch-cluster';
import type { Flags } from '../flags/flag-specs.ts';
import { programUrl } from '../program-url.ts';
import { createPrimaryTasks } from './primary-tasks.ts';
import { type ServeGiven, type Serving, servingEnvironment } from './serving.ts';

/** Milliseconds that idle keep-alive clients get before their connection is closed. */
const LAME_DUCK_MS = 1000;
/** Milliseconds beyond the deadline that requests in flight get to be answered. */
export const ANSWER_MS = 1000;
const TICKET_KEY_BYTES = 48;

/** How connections reach the server processes. */
export interface ServingConnections {
  readonly connections: 'shared' | 'external';
  /** Where they listen, if they do. */
  readonly address: { readonly host: string; readonly port: number };
  /** Counters of the part that hands them connections. */
  stats?(): Readonly<Record<string, unknown>>;
}

/** Starts the server processes, which share what the primary has. */
export function startServing(given: ServeGiven, ways: ServingConnections): Supervisor {
  const { flags, carriersUrl, worms, log } = given;
  const supervisor: Supervisor = startCluster({
    name: 'serving',
    entry: programUrl('serving-worker'),
    workers: flags.workers,
    connections: ways.connections,
    env: servingEnvironment({
      flags: { ...flags, ...ways.address },
      carriersUrl,
      worms,
      ticketKeys: randomBytes(TICKET_KEY_BYTES).toString('base64'),
    }),
    primaryTasks: createPrimaryTasks(given, {
      supervisor: () => supervisor,
      stats: () => ways.stats?.() ?? {},
    }),
    shutdown: { lameDuckMs: LAME_DUCK_MS, graceMs: flags.deadlineMs + ANSWER_MS },
  });
  supervisor.events.on('worker-exit', ({ pid, signal, exitCode }) => {
    if (exitCode !== 0) log(`Serving process ${pid} ended (${signal ?? exitCode})`);
  });
  supervisor.events.on('circuit-open', ({ error }) => {
    log(`Serving processes fail to start, one more is tried from time to time: ${error}`);
  });
  return supervisor;
}

/** Milliseconds that the server processes may take to end. */
export function endMs({ flags }: ServeGiven): number {
  return LAME_DUCK_MS + flags.deadlineMs + ANSWER_MS;
}

/** How clients of this machine reach a server. */
export function urlOf({ tlsCert }: Flags, { address, family, port }: AddressInfo): string {
  const host = family === 'IPv6' ? `[${address}]` : address;
  return `${tlsCert === undefined ? 'http' : 'https'}://${host}:${port}`;
}

/**
 * Finds the address and port that are meant by a name and by port 0. Serving processes are started with them, so that all
 * have the same, those that replace others too.
 *
 * @throws the socket's error if the address cannot be listened on
 */
async function claimAddress(wanted: {
  readonly host: string;
  readonly port: number;
}): Promise<AddressInfo> {
  const server = createServer().listen(wanted.port, wanted.host);
  await once(server, 'listening');
  const bound = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return bound;
}

/** Processes that all listen serve; this one starts them, gives them connections, and has what they share. */
export async function serveByCluster(given: ServeGiven): Promise<Omit<Serving, 'carriersUrl'>> {
  const { flags } = given;
  const bound = await claimAddress(flags);
  const address = { host: bound.address, port: bound.port };
  const supervisor = startServing(given, { connections: 'shared', address });
  try {
    await supervisor.ready();
  } catch (error) {
    await supervisor.close();
    throw error;
  }
  return {
    url: urlOf(flags, bound),
    reload: () => supervisor.reload(),
    close: () => supervisor.close(),
  };
}
