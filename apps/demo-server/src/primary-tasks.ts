import { type Dispatcher, defineTasks } from '@ticketing/dispatch';
import type { Supervisor } from '@ticketing/dispatch-cluster';
import { createCarriers } from './carriers.ts';
import {
  again,
  documentsBy,
  type PrimaryModule,
  type PrimaryTasks,
  type ProcessStatus,
  type ServingTasks,
  wormsBy,
} from './cluster-tasks.ts';
import { coalesced, type Finder } from './coalesced.ts';
import { searchBy } from './compose.ts';
import {
  type DocumentQuestion,
  documentKey,
  documentsOf,
  type SearchDocument,
} from './documents.ts';
import { type ProcessWatch, watchProcess } from './process-watch.ts';
import type { ServeGiven } from './serving.ts';
import { type WormAnswer, wormKey } from './worms/worm-answers.ts';

const STATUS_TIMEOUT_MS = 1000;

/** What all serving processes share. */
interface Shared {
  readonly workers: Dispatcher<ServingTasks>;
  readonly documents: Finder<DocumentQuestion, SearchDocument>;
  readonly worms: Finder<string, WormAnswer>;
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
      search: (question, { signal }) =>
        shared.workers.run('search', question, { signal, ...again }),
      normalise: (bytes, { signal }) =>
        shared.workers.run('normalise', bytes, { signal, ...again }),
      document: ({ question, deadlineMs }, { signal }) =>
        shared.documents.find(question, { signal, deadlineMs }),
      worms: ({ question, deadlineMs }, { signal }) =>
        shared.worms.find(question, { signal, deadlineMs }),
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
  const search = searchBy(workers, { flags, carriers, now });
  // With carriers' work on the same workers, a document that ran there would wait for tasks that wait behind documents.
  const find = flags.dispatch === 'cluster' ? documentsOf(search) : documentsBy(workers);
  const watch = watchProcess();
  return {
    workers,
    documents: coalesced(find, { name: 'search', key: documentKey }),
    worms: coalesced(wormsBy(workers), {
      name: 'worms',
      key: wormKey,
    }),
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
  { documents, worms, watch }: Shared,
): Promise<ProcessStatus[]> {
  const supervisor = parts.supervisor();
  const options = { timeoutMs: STATUS_TIMEOUT_MS };
  const outcomes = await supervisor.broadcast<ServingTasks, 'status'>('status', undefined, options);
  // A worker has its process, which is no plain data.
  const { workers: _, ...cluster } = supervisor.stats();
  const stats = {
    coalesce: documents.stats(),
    worms: { coalesce: worms.stats() },
    cluster,
    process: watch.stats(),
    ...parts.stats(),
  };
  return [
    { pid: process.pid, role: 'primary', stats, taskPids: [] },
    ...outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
  ];
}
