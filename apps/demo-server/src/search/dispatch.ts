import { createInProcessDispatcher, type Dispatcher, defineTasks } from '@ticketing/dispatch';
import { programUrl } from '../program-url.ts';
import { type Telemetry, telemetryEnvironment } from '../telemetry/telemetry.ts';
import { type Carriers, type CarrierTasks, carrierTasks } from './carriers.ts';

interface DispatchDependencies {
  readonly dispatchWorkers: number;
  readonly carriers: Carriers;
  /** That of this process: its workers have their own. */
  readonly telemetry: Telemetry;
  /** The primary, in a server process of several. */
  readonly primary: Dispatcher<CarrierTasks> | undefined;
}

/** A dispatcher, and what is done with its workers. */
interface Dispatching {
  readonly dispatcher: Dispatcher<CarrierTasks>;
  reload(): Promise<void>;
  close(): Promise<void>;
}

interface DispatchKind {
  /** What its workers are; `undefined` if it has none. */
  readonly workers: 'processes' | 'threads' | undefined;
  /** Whether the server processes run the tasks, unless there is only one. */
  readonly inServers?: true;
  start(dependencies: DispatchDependencies): Promise<Dispatching>;
}

/** Every value of `--dispatch`. */
const dispatchers = {
  'in-process': {
    workers: undefined,
    start: async ({ carriers }) =>
      owned(createInProcessDispatcher(defineTasks(carrierTasks(carriers)))),
  },
  fork: {
    workers: 'processes',
    async start(dependencies) {
      const { createForkDispatcher } = await import('@ticketing/dispatch-fork');
      const options = workerOptions(dependencies);
      return owned(createForkDispatcher<CarrierTasks>(programUrl('tasks'), options));
    },
  },
  piscina: {
    workers: 'threads',
    async start(dependencies) {
      const { createPiscinaDispatcher } = await import('@ticketing/dispatch-piscina');
      const options = workerOptions(dependencies);
      return owned(createPiscinaDispatcher<CarrierTasks>(programUrl('tasks'), options));
    },
  },
  cluster: {
    workers: 'processes',
    inServers: true,
    start: (dependencies) =>
      dependencies.primary ? overServers(dependencies.primary) : clusterOfTasks(dependencies),
  },
} satisfies Record<string, DispatchKind>;

export type DispatchName = keyof typeof dispatchers;
export const DISPATCH_NAMES = Object.keys(dispatchers) as readonly DispatchName[];

/** Returns what is known of a dispatcher before it is started. */
export function dispatchKind(name: DispatchName): DispatchKind {
  return dispatchers[name];
}

/** Starts a dispatcher, and waits until it takes tasks. */
export async function startDispatcher(
  name: DispatchName,
  dependencies: DispatchDependencies,
): Promise<Dispatching> {
  const dispatching = await dispatchers[name].start(dependencies);
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
    reload: () => dispatcher.reload(),
    close: () => dispatcher.close(),
  };
}

/** The primary spreads the work over all server processes. */
async function overServers(primary: Dispatcher<CarrierTasks>): Promise<Dispatching> {
  return {
    dispatcher: primary,
    reload: async () => {},
    close: async () => {},
  };
}

/** The only server process starts a cluster whose workers run tasks and serve nothing. */
async function clusterOfTasks(dependencies: DispatchDependencies): Promise<Dispatching> {
  const { startCluster } = await import('@ticketing/dispatch-cluster');
  const { max: workers, env } = workerOptions(dependencies);
  const entry = programUrl('task-worker');
  const supervisor = startCluster({ entry, workers, env, connections: 'external' });
  return { ...owned(supervisor.dispatcher<CarrierTasks>()), close: () => supervisor.close() };
}

function workerOptions({ dispatchWorkers, carriers, telemetry }: DispatchDependencies) {
  return {
    max: dispatchWorkers,
    env: {
      ...process.env,
      ...telemetryEnvironment(telemetry),
      DEMO_TASK_SETTINGS: JSON.stringify(carriers.settings),
    },
  };
}
