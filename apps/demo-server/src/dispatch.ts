import { createInProcessDispatcher, type Dispatcher, defineTasks } from '@ticketing/dispatch';
import { type Carriers, type CarrierTasks, carrierTasks } from './carriers.ts';
import type { PrimaryTasks } from './cluster-tasks.ts';
import type { DispatchName, Flags } from './flags/flags.ts';
import { programUrl } from './program-url.ts';

/** Where carriers' work can run. */
export interface DispatchGiven {
  readonly flags: Flags;
  readonly carriers: Carriers;
  /** The primary of the cluster that this process serves in. */
  readonly primary: Dispatcher<PrimaryTasks> | undefined;
}

/** A dispatcher, and what it came with. */
export interface Dispatching {
  readonly dispatcher: Dispatcher<CarrierTasks>;
  /** Pids of the processes that tasks run in, if they run for this one alone. */
  pids(): readonly number[];
  reload(): Promise<void>;
  close(): Promise<void>;
}

const dispatchers: Record<DispatchName, (given: DispatchGiven) => Promise<Dispatching>> = {
  'in-process': async ({ carriers }) =>
    owned(createInProcessDispatcher(defineTasks(carrierTasks(carriers)))),
  fork: async (given) => {
    const { createForkDispatcher } = await import('@ticketing/dispatch-fork');
    return owned(createForkDispatcher<CarrierTasks>(programUrl('tasks'), workerOptions(given)));
  },
  piscina: async (given) => {
    const { createPiscinaDispatcher } = await import('@ticketing/dispatch-piscina');
    return owned(createPiscinaDispatcher<CarrierTasks>(programUrl('tasks'), workerOptions(given)));
  },
  cluster: ({ primary, ...given }) => (primary ? lentBy(primary) : clusterOfTasks(given)),
};

/** Starts the dispatcher that the flags name, and waits until it takes tasks. */
export async function startDispatcher(given: DispatchGiven): Promise<Dispatching> {
  const dispatching = await dispatchers[given.flags.dispatch](given);
  try {
    await dispatching.dispatcher.ready();
    return dispatching;
  } catch (error) {
    await dispatching.close();
    throw error;
  }
}

function owned(dispatcher: Dispatcher<CarrierTasks>): Dispatching {
  return {
    dispatcher,
    pids: () =>
      dispatcher
        .stats()
        .workers.flatMap(({ pid }) => (pid === undefined || pid === process.pid ? [] : [pid])),
    reload: () => dispatcher.reload(),
    close: () => dispatcher.close(),
  };
}

/** The primary spreads the work over all processes that serve. */
async function lentBy(primary: Dispatcher<PrimaryTasks>): Promise<Dispatching> {
  return {
    dispatcher: primary,
    pids: () => [],
    reload: async () => {},
    close: async () => {},
  };
}

/** This process serves alone: its cluster has workers for tasks only. */
async function clusterOfTasks(given: Omit<DispatchGiven, 'primary'>): Promise<Dispatching> {
  const { startCluster } = await import('@ticketing/dispatch-cluster');
  const { max: workers, env } = workerOptions(given);
  const entry = programUrl('task-worker');
  const supervisor = startCluster({ entry, workers, env, connections: 'external' });
  const { pids, reload } = owned(supervisor.dispatcher<CarrierTasks>());
  return {
    dispatcher: supervisor.dispatcher<CarrierTasks>(),
    pids,
    reload,
    close: () => supervisor.close(),
  };
}

function workerOptions({ flags, carriers }: Pick<DispatchGiven, 'flags' | 'carriers'>) {
  return {
    max: flags.dispatchWorkers,
    env: { ...process.env, DEMO_TASK_SETTINGS: JSON.stringify(carriers.settings) },
  };
}
