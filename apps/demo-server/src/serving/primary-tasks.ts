import { type Dispatcher, defineTasks } from '@ticketing/dispatch';
import type { Supervisor } from '@ticketing/dispatch-cluster';
import { dispatchedSearch } from '../compose.ts';
import {
  type Finders,
  findersOf,
  questions,
  questionTasks,
  remoteFinds,
  retryOptions,
} from '../questions.ts';
import { createCarriers } from '../search/carriers.ts';
import type { PrimaryModule, PrimaryTasks, ProcessStatus, ServingTasks } from './cluster-tasks.ts';
import { type ProcessWatch, watchProcess } from './process-watch.ts';
import type { ServeGiven } from './serving.ts';

const STATUS_TIMEOUT_MS = 1000;

/** What all serving processes share. */
interface Shared {
  readonly workers: Dispatcher<ServingTasks>;
  readonly finders: Finders;
  readonly watch: ProcessWatch;
  close(): Promise<void>;
}

/** What the primary has besides, as soon as a serving process asks. */
interface PrimaryParts {
  supervisor(): Supervisor;
  /** Counters of what gives connections to the serving processes. */
  stats(): Readonly<Record<string, unknown>>;
}

/** Makes the tasks of the primary. It waits and passes on: what takes time runs in the processes that serve. */
export function createPrimaryTasks(given: ServeGiven, parts: PrimaryParts): PrimaryModule {
  let shared: Shared;
  return defineTasks<PrimaryTasks>(
    {
      askCarrier: (question, { signal }) =>
        shared.workers.run('askCarrier', question, { signal, ...retryOptions }),
      normalise: (bytes, { signal }) =>
        shared.workers.run('normalise', bytes, { signal, ...retryOptions }),
      ...questionTasks(() => shared.finders),
      overview: () => overviewOf(parts, shared),
    },
    {
      setup: () => {
        shared = share(given, parts.supervisor().dispatcher<ServingTasks>());
      },
      teardown: () => shared.close(),
    },
  );
}

function share({ flags, carriersUrl, now }: ServeGiven, workers: Dispatcher<ServingTasks>): Shared {
  const carriers = createCarriers({ carriersUrl, ouigo: flags.ouigo }, now);
  const search = dispatchedSearch(workers, { flags, carriers, now });
  const remote = remoteFinds(workers);
  // With carriers' work on the same workers, a document that ran there would wait for tasks that wait behind documents.
  const document =
    flags.dispatch === 'cluster' ? questions.document.local({ search }) : remote.document;
  const watch = watchProcess();
  return {
    workers,
    finders: findersOf({ ...remote, document }, { isShared: true }),
    watch,
    async close() {
      watch.close();
      await search.close();
      await carriers.http.close();
    },
  };
}

async function overviewOf(
  parts: PrimaryParts,
  { finders, watch }: Shared,
): Promise<ProcessStatus[]> {
  const supervisor = parts.supervisor();
  const options = { timeoutMs: STATUS_TIMEOUT_MS };
  const outcomes = await supervisor.broadcast<ServingTasks, 'status'>('status', undefined, options);
  // A worker has its process, which is no plain data.
  const { workers: _, ...cluster } = supervisor.stats();
  const stats = {
    coalesce: finders.document.stats(),
    worms: { coalesce: finders.worms.stats() },
    cluster,
    process: watch.stats(),
    ...parts.stats(),
  };
  return [
    { pid: process.pid, role: 'primary', stats, taskPids: [] },
    ...outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
  ];
}
