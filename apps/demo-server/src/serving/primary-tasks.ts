import { type Dispatcher, defineTasks, type TaskModule } from '@ticketing/dispatch';
import type { Supervisor } from '@ticketing/dispatch-cluster';
import {
  createFinders,
  type Finders,
  questionTasks,
  remoteFinds,
  retryOptions,
} from '../questions.ts';
import { createCarriers } from '../search/carriers.ts';
import { dispatchedSearch } from '../search/dispatched-search.ts';
import { documentQuestion } from '../search/documents.ts';
import { type ProcessWatch, watchProcess } from './process-watch.ts';
import type { PrimaryTasks, ProcessStatus, ServeContext, ServingTasks } from './serving.ts';

const STATUS_TIMEOUT_MS = 1000;

/** What all server processes share. */
interface Shared {
  readonly workers: Dispatcher<ServingTasks>;
  readonly finders: Finders;
  readonly watch: ProcessWatch;
  close(): Promise<void>;
}

interface PrimaryDependencies {
  /** Called when the first task runs, at the earliest. */
  supervisor(): Supervisor;
  /** Counters of the part that hands connections to the server processes. */
  stats(): Readonly<Record<string, unknown>>;
}

/** Creates the tasks of the primary. It waits and passes on: work that takes time runs in the server processes. */
export function createPrimaryTasks(
  context: ServeContext,
  dependencies: PrimaryDependencies,
): TaskModule<PrimaryTasks> {
  let shared: Shared;
  return defineTasks<PrimaryTasks>(
    {
      askCarrier: (question, { signal }) =>
        shared.workers.run('askCarrier', question, { signal, ...retryOptions }),
      normalise: (bytes, { signal }) =>
        shared.workers.run('normalise', bytes, { signal, ...retryOptions }),
      ...questionTasks(() => shared.finders),
      overview: () => overviewOf(dependencies, shared),
    },
    {
      setup: () => {
        shared = share(context, dependencies.supervisor().dispatcher<ServingTasks>());
      },
      teardown: () => shared.close(),
    },
  );
}

function share(
  { flags, carriersUrl, now }: ServeContext,
  workers: Dispatcher<ServingTasks>,
): Shared {
  const carriers = createCarriers({ carriersUrl, ouigo: flags.ouigo }, now);
  const search = dispatchedSearch(workers, { flags, carriers, now });
  const remote = remoteFinds(workers);
  // With carriers' work on the same workers, a document there could wait for tasks that are queued behind documents.
  const document =
    flags.dispatch === 'cluster' ? documentQuestion.local({ search }) : remote.document;
  const watch = watchProcess();
  return {
    workers,
    finders: createFinders({ ...remote, document }, { isShared: true }),
    watch,
    async close() {
      watch.close();
      await search.close();
      await carriers.http.close();
    },
  };
}

async function overviewOf(
  { supervisor: supervisorOf, stats: connectionStats }: PrimaryDependencies,
  { finders, watch }: Shared,
): Promise<ProcessStatus[]> {
  const supervisor = supervisorOf();
  const options = { timeoutMs: STATUS_TIMEOUT_MS };
  const outcomes = await supervisor.broadcast<ServingTasks, 'status'>('status', undefined, options);
  // `workers` holds processes, which are not plain data.
  const { workers: _, ...cluster } = supervisor.stats();
  const stats = {
    coalesce: finders.document.stats(),
    worms: { coalesce: finders.worms.stats() },
    cluster,
    process: watch.stats(),
    ...connectionStats(),
  };
  return [
    { pid: process.pid, role: 'primary', stats, taskPids: [] },
    ...outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
  ];
}
