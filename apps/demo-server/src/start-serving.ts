import { randomBytes } from 'node:crypto';
import { type Supervisor, startCluster } from '@ticketing/dispatch-cluster';
import { createPrimaryTasks } from './primary-tasks.ts';
import { programUrl } from './program-url.ts';
import type { ServeGiven } from './serving.ts';
import { servingEnvironment } from './serving-program.ts';

/** Clients that are idle have so long to take their next answer elsewhere. */
const LAME_DUCK_MS = 1000;
/** Requests in flight have their deadline, and this to be answered. */
export const ANSWER_MS = 1000;
const TICKET_KEY_BYTES = 48;

/** How connections reach the processes that serve. */
export interface ServingConnections {
  readonly connections: 'shared' | 'external';
  /** Where they listen, if they do. */
  readonly address: { readonly host: string; readonly port: number };
  /** Counters of what gives them connections. */
  stats?(): Readonly<Record<string, unknown>>;
}

/** Starts the processes that serve. They share what the primary has. */
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

/** How long the serving processes may take to end, in milliseconds. */
export function endMs({ flags }: ServeGiven): number {
  return LAME_DUCK_MS + flags.deadlineMs + ANSWER_MS;
}
