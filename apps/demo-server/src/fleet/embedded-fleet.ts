import { createForkDispatcher } from '@ticketing/dispatch-fork';
import { type ServingStart, servingEnvironment } from '../compose/process-start.ts';
import { startNatsServer } from '../nats/nats-server.ts';
import { programUrl } from '../processes/program-url.ts';

/** A NATS server and hosts on this machine, for those who have none. */
export interface EmbeddedFleet {
  /** Address of the NATS server, with its token. */
  readonly natsUrl: string;
  /** Pids of the hosts. */
  pids(): readonly number[];
  /** Replaces the hosts one by one; no call fails. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

const HOSTS = 2;
/** Milliseconds beyond the deadline that a host gets to leave. */
const LEAVE_MS = 2000;

/**
 * Starts a NATS server and two hosts, and resolves when others can find them. What ends of them is started again.
 *
 * @throws FlagError if nats-server is not installed
 */
export async function startEmbeddedFleet(
  start: Omit<ServingStart, 'ticketKeys'>,
  log: (line: string) => void,
): Promise<EmbeddedFleet> {
  const { flags } = start;
  const nats = await startNatsServer({ log });
  const hosts = createForkDispatcher(programUrl('host-tasks'), {
    name: 'hosts',
    max: HOSTS,
    stopGraceMs: flags.deadlineMs + LEAVE_MS,
    env: servingEnvironment({
      ...start,
      flags: { ...flags, natsUrl: nats.url, dispatch: 'in-process', dispatchWorkers: 1 },
      ticketKeys: '',
    }),
  });
  async function close(): Promise<void> {
    await hosts.close();
    await nats.close();
  }
  try {
    await hosts.ready();
  } catch (error) {
    await close();
    // Why a host does not start.
    throw (error as Error).cause ?? error;
  }
  const pids = (): number[] =>
    hosts.stats().workers.flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
  return { natsUrl: nats.url, pids, reload: () => hosts.reload(), close };
}
