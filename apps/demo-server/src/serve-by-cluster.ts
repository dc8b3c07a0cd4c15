import { type Supervisor, startCluster } from '@ticketing/dispatch-cluster';
import { claimAddress } from './claim-address.ts';
import { createPrimaryTasks } from './primary-tasks.ts';
import { programUrl } from './program-url.ts';
import type { ServeGiven, Serving } from './serve.ts';
import { servingEnvironment } from './serving-program.ts';

/** Clients that are idle have so long to take their next answer elsewhere. */
const LAME_DUCK_MS = 1000;
/** Requests in flight have their deadline, and this to be answered. */
const ANSWER_MS = 1000;

/** Processes of a cluster serve; this one starts them, gives them connections, and has what they share. */
export async function serveByCluster(given: ServeGiven): Promise<Omit<Serving, 'carriersUrl'>> {
  const { flags, carriersUrl, log } = given;
  const { address, port, url } = await claimAddress(flags);
  const supervisor: Supervisor = startCluster({
    name: 'serving',
    entry: programUrl('serving-worker'),
    workers: flags.workers,
    env: servingEnvironment({ flags: { ...flags, host: address, port }, carriersUrl }),
    primaryTasks: createPrimaryTasks(given, () => supervisor),
    shutdown: { lameDuckMs: LAME_DUCK_MS, graceMs: flags.deadlineMs + ANSWER_MS },
  });
  let isClosing = false;
  supervisor.events.on('worker-exit', ({ pid, signal, exitCode }) => {
    if (!isClosing && exitCode !== 0) log(`Serving process ${pid} ended (${signal ?? exitCode})`);
  });
  supervisor.events.on('circuit-open', ({ error }) => {
    log(`Serving processes fail to start, one more is tried from time to time: ${error}`);
  });
  const close = async (): Promise<void> => {
    isClosing = true;
    await supervisor.close();
  };
  try {
    await supervisor.ready();
  } catch (error) {
    await close();
    throw error;
  }
  return { url, reload: () => supervisor.reload(), close };
}
