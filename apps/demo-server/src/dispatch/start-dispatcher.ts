import { FlagError, hideSecretsOf } from '@ticketing/cli-kit';
import type { Search } from '@ticketing/core';
import { createInProcessDispatcher, type Dispatcher, defineTasks } from '@ticketing/dispatch';
import type { NatsFleetStats } from '@ticketing/dispatch-nats';
import { withFallback } from '@ticketing/dispatch-wrappers';
import { SEARCH_TASKS, type SearchTasks, searchTasks } from '../answers/in-workers.ts';
import {
  CARRIER_TASKS,
  type Carriers,
  type CarrierTasks,
  carrierTasks,
} from '../carriers/carriers.ts';
import type { DispatchName } from '../flags/dispatch-kinds.ts';
import { hideNatsSecrets } from '../flags/flag-values.ts';
import { type FleetFlags, natsOptions, SOON } from '../nats/nats-options.ts';
import { programUrl } from '../processes/program-url.ts';
import { type Telemetry, telemetryEnvironment } from '../telemetry/telemetry.ts';

interface DispatchDependencies {
  readonly flags: FleetFlags & {
    readonly dispatch: DispatchName;
    readonly dispatchWorkers: number;
    readonly fallback: number | 'off';
    readonly offload: string;
  };
  readonly carriers: Carriers;
  /** Telemetry of this process: workers have their own. */
  readonly telemetry: Telemetry;
  /** The primary, in a server process of several. */
  readonly primary: Dispatcher<CarrierTasks> | undefined;
  /** Search of a host, which runs whole searches for others where its workers do not. */
  readonly hostSearch: Search | undefined;
}

/** A dispatcher, and what is done with its workers. */
interface Dispatching {
  readonly dispatcher: Dispatcher<CarrierTasks>;
  /** Dispatcher of whole searches and their events: `dispatcher` or the hosts behind it; absent if neither runs them. */
  readonly searches?: Dispatcher<SearchTasks> | undefined;
  /** `dispatcher`, if it also runs whole searches. */
  readonly whole?: Dispatcher<WorkerTasks> | undefined;
  /** Resolves when the dispatcher takes tasks. */
  ready(): Promise<void>;
  /** Returns the hosts that the dispatcher knows, if its workers are hosts. */
  fleet?(): NatsFleetStats;
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** Tasks of workers that only run tasks, and of hosts. */
export type WorkerTasks = CarrierTasks & SearchTasks;
export const WORKER_TASKS = [...CARRIER_TASKS, ...SEARCH_TASKS] as const;

/** Starts each value of `--dispatch`. */
const starters: Readonly<
  Record<DispatchName, (dependencies: DispatchDependencies) => Promise<Dispatching>>
> = {
  async 'in-process'({ carriers, hostSearch }) {
    const tasks = carrierTasks(carriers);
    if (hostSearch === undefined) return owned(createInProcessDispatcher(defineTasks(tasks)));
    const whole = createInProcessDispatcher<WorkerTasks>(
      defineTasks({ ...tasks, ...searchTasks(() => hostSearch) }),
    );
    return { ...owned(whole), whole };
  },
  async fork(dependencies) {
    const { createForkDispatcher } = await import('@ticketing/dispatch-fork');
    const options = workerOptions(dependencies);
    return ofWorkers(createForkDispatcher<WorkerTasks>(programUrl('tasks'), options));
  },
  async piscina(dependencies) {
    const { createPiscinaDispatcher } = await import('@ticketing/dispatch-piscina');
    const options = workerOptions(dependencies);
    return ofWorkers(createPiscinaDispatcher<WorkerTasks>(programUrl('tasks'), options));
  },
  cluster: (dependencies) =>
    dependencies.primary ? overServers(dependencies.primary) : clusterOfTasks(dependencies),
  nats: overFleet,
};

/** Starts the dispatcher of `--dispatch`, and waits until it takes tasks. */
export async function startDispatcher(dependencies: DispatchDependencies): Promise<Dispatching> {
  const dispatching = await starters[dependencies.flags.dispatch](dependencies);
  try {
    await dispatching.ready();
    return dispatching;
  } catch (error) {
    await dispatching.close();
    throw error;
  }
}

function owned(dispatcher: Dispatcher<CarrierTasks>): Dispatching {
  return {
    dispatcher,
    ready: () => dispatcher.ready(),
    reload: () => dispatcher.reload(),
    close: () => dispatcher.close(),
  };
}

/** Dispatching by workers that have every task of `tasks.ts`. */
function ofWorkers(dispatcher: Dispatcher<WorkerTasks>): Dispatching {
  return { ...owned(dispatcher), searches: dispatcher, whole: dispatcher };
}

/** The primary spreads the work over all server processes. */
async function overServers(primary: Dispatcher<CarrierTasks>): Promise<Dispatching> {
  return {
    dispatcher: primary,
    ready: () => primary.ready(),
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
  return { ...ofWorkers(supervisor.dispatcher<WorkerTasks>()), close: () => supervisor.close() };
}

/** Limits without a fallback: hosts have time to come. */
const LATER = { startTimeoutMs: 10_000 } as const;

/** Hosts of the fleet run the tasks; while there is none, some of them run here. */
async function overFleet({ flags, carriers }: DispatchDependencies): Promise<Dispatching> {
  const { fallback } = flags;
  const { createNatsDispatcher } = await import('@ticketing/dispatch-nats');
  const tasks = flags.offload === 'search' ? WORKER_TASKS : CARRIER_TASKS;
  const hosts = createNatsDispatcher<WorkerTasks>({
    nats: natsOptions(flags, 'tasks'),
    fleet: flags.fleet,
    tasks,
    ...(flags.zone !== undefined && { hosts: { zone: flags.zone } }),
    ...(fallback === 'off' ? LATER : SOON),
  });
  const dispatcher: Dispatcher<CarrierTasks> =
    fallback === 'off'
      ? hosts
      : withFallback<CarrierTasks>(
          hosts,
          createInProcessDispatcher(defineTasks(carrierTasks(carriers))),
          {
            maxInFlight: fallback,
          },
        );
  return {
    ...owned(dispatcher),
    searches: hosts,
    fleet: () => hosts.fleet(),
    async ready() {
      try {
        await dispatcher.ready();
      } catch (error) {
        const message = hideSecretsOf(flags.natsUrl ?? '', (error as Error).message);
        const url = hideNatsSecrets(flags.natsUrl ?? '');
        throw new FlagError(
          `Cannot start: fleet ${flags.fleet} at ${url} must have a host, got ${message}; see pnpm --filter demo-server host`,
        );
      }
    },
  };
}

function workerOptions({ flags, carriers, telemetry }: DispatchDependencies) {
  return {
    max: flags.dispatchWorkers,
    env: {
      ...process.env,
      ...telemetryEnvironment(telemetry),
      DEMO_TASK_SETTINGS: JSON.stringify(carriers.settings),
    },
  };
}
