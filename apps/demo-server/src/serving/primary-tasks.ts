import { watchEventLoop } from '@ticketing/admission';
import { type Dispatcher, defineTasks, type TaskModule } from '@ticketing/dispatch';
import type { Supervisor } from '@ticketing/dispatch-cluster';
import type { Flags } from '../flags/flag-specs.ts';
import { joinQuestionFleet, type QuestionFleet } from '../fleet/question-fleet.ts';
import { type EventLog, keepEvents } from '../operator/event-log.ts';
import { createOperator, type Operator } from '../operator/operator.ts';
import { createFinders, type Finders, questionTasks, remoteFinds } from '../questions.ts';
import { createCarriers } from '../search/carriers.ts';
import { dispatchedSearch } from '../search/dispatched-search.ts';
import { documentQuestion } from '../search/documents.ts';
import { retryOptions } from '../search/remote-call.ts';
import { localSearches } from '../search/searches.ts';
import { withIds } from './process-ids.ts';
import { createProcessStats, type ProcessStats } from './process-stats.ts';
import type {
  PrimaryStats,
  PrimaryTasks,
  ProcessStatus,
  ServeContext,
  ServingTasks,
} from './serving.ts';

const STATUS_TIMEOUT_MS = 1000;

/** What all server processes share. */
interface Shared {
  readonly workers: Dispatcher<ServingTasks>;
  readonly finders: Finders;
  /** What the server processes ask; with a fleet the owner of a key answers. */
  readonly asked: Finders;
  readonly keys: QuestionFleet | undefined;
  readonly processStats: () => ProcessStats;
  readonly flags: Flags;
  readonly operator: Operator;
  readonly events: EventLog;
  /** Counters of the searches that run here. */
  readonly ownSearch: (() => Pick<PrimaryStats, 'search' | 'http'>) | undefined;
  ageMs(): number;
  close(): Promise<void>;
}

interface PrimaryDependencies {
  /** Called when the first task runs, at the earliest. */
  supervisor(): Supervisor;
  /** Where the server listens; called once it does. */
  url(): string;
  /** Counters of the part that hands connections to the server processes. */
  stats(): Pick<PrimaryStats, 'router'>;
}

/** The tasks of the primary, and what comes before their end. */
interface Primary {
  readonly tasks: TaskModule<PrimaryTasks>;
  /**
   * Leaves the fleet, if it is in one: the server processes still answer what it was asked, and tell balancers that the server is
   * about to stop.
   */
  leave(): Promise<void>;
}

/** Milliseconds that the primary waits at most for what other hosts asked. They ask elsewhere what is left. */
const LEAVE_MS = 2000;

/** Creates the tasks of the primary. It waits and passes on: work that takes time runs in the server processes. */
export function createPrimary(context: ServeContext, dependencies: PrimaryDependencies): Primary {
  let shared: Shared;
  let keys: QuestionFleet | undefined;
  const tasks = defineTasks<PrimaryTasks>(
    {
      askCarrier: (question, { signal }) =>
        shared.workers.run('askCarrier', question, { signal, ...retryOptions }),
      normalise: (bytes, { signal }) =>
        shared.workers.run('normalise', bytes, { signal, ...retryOptions }),
      ...questionTasks(() => shared.asked),
      overview: () => overviewOf(dependencies, shared),
      view: () => shared.operator.view(),
      control: (command) => shared.operator.control(command),
    },
    {
      setup: async () => {
        shared = await share(context, dependencies, () => overviewOf(dependencies, shared));
        keys = shared.keys;
      },
      teardown: () => shared.close(),
    },
  );
  async function leave(): Promise<void> {
    if (keys === undefined) return;
    const timeoutMs = Math.min(context.flags.deadlineMs, LEAVE_MS);
    const told = dependencies
      .supervisor()
      .broadcast<ServingTasks, 'leave'>('leave', undefined, { timeoutMs });
    await Promise.all([keys.leave(timeoutMs), told]);
  }
  return { tasks, leave };
}

async function share(
  context: ServeContext,
  { supervisor, url }: PrimaryDependencies,
  processes: () => Promise<ProcessStatus[]>,
): Promise<Shared> {
  const { flags, carriersUrl, now, startedAt } = context;
  const workers = supervisor().dispatcher<ServingTasks>();
  const carriers = createCarriers({ carriersUrl, ouigo: flags.ouigo }, now);
  const search = dispatchedSearch(workers, { flags, carriers, now });
  const remote = remoteFinds(workers);
  // With carriers' work on the same workers, a document there could wait for tasks that are queued behind documents.
  const events = keepEvents(now);
  const operator = createOperator(context, { processes, url, reload: () => supervisor().reload() });
  const isOwn = flags.dispatch === 'cluster';
  const document = isOwn
    ? documentQuestion.local({ search: localSearches(search) })
    : remote.document;
  const watch = watchEventLoop();
  const finders = createFinders({ ...remote, document }, { isShared: true });
  const keys = flags.coalesce === 'fleet' ? await joinQuestionFleet(finders, { flags }) : undefined;
  return {
    workers,
    finders,
    asked: keys === undefined ? finders : createFinders(keys.finds, { isShared: false }),
    keys,
    processStats: createProcessStats(watch.stats),
    operator,
    events,
    flags,
    ownSearch:
      isOwn && (flags.coalesce === 'machine' || keys !== undefined)
        ? () => ({ search: search.stats(), http: carriers.http.stats() })
        : undefined,
    ageMs: () => now() - startedAt,
    async close() {
      watch.close();
      events.close();
      await keys?.close();
      await operator.close();
      await search.close();
      await carriers.http.close();
    },
  };
}

/** Asks every server process for its counters; one that does not report in time is `silent`. */
async function overviewOf(
  { supervisor: supervisorOf, stats: connectionStats }: PrimaryDependencies,
  shared: Shared,
): Promise<ProcessStatus[]> {
  const { flags, finders, keys, processStats, ageMs, ownSearch, events } = shared;
  const supervisor = supervisorOf();
  const options = { timeoutMs: STATUS_TIMEOUT_MS };
  const outcomes = await supervisor.broadcast<ServingTasks, 'status'>('status', undefined, options);
  const reports = new Map(
    outcomes.flatMap((outcome) =>
      outcome.status === 'fulfilled' ? [[outcome.value.pid, outcome.value] as const] : [],
    ),
  );
  // `workers` holds processes, which are not plain data.
  const { workers, ...cluster } = supervisor.stats();
  // The primary's coalescers are in use with `machine` alone.
  const isShared = flags.coalesce === 'machine';
  const stats: PrimaryStats = {
    coalesce: isShared ? finders.document.stats() : undefined,
    worms: { coalesce: isShared ? finders.worms.stats() : undefined },
    ...(keys && { keys: keys.stats() }),
    cluster,
    ...ownSearch?.(),
    process: processStats(),
    ...connectionStats(),
  };
  return [
    {
      ...{ id: 'primary', role: 'primary', pid: process.pid, state: 'ready', ageMs: ageMs() },
      ...{ stats, events: events.list() },
    },
    ...withIds('server', workers).flatMap(({ id, worker }): ProcessStatus[] => {
      const { pid, ageMs: age, state } = worker;
      if (pid === undefined) return [];
      const report = reports.get(pid);
      const known = { id, role: 'server', pid, ageMs: age } as const;
      if (report !== undefined) return [{ ...known, state, ...report }];
      return [{ ...known, state: state === 'ready' ? 'silent' : state }];
    }),
  ];
}
