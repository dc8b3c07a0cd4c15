import { watchEventLoop } from '@ticketing/admission';
import { type Dispatcher, defineTasks, type TaskModule } from '@ticketing/dispatch';
import type { Supervisor } from '@ticketing/dispatch-cluster';
import { answerTasks } from '../answers/answer-tasks.ts';
import type { Answers } from '../answers/answers.ts';
import { coalesceStats, notCoalesced } from '../answers/answers-stats.ts';
import { byOwner, type FleetAnswers } from '../answers/by-owner.ts';
import { elsewhere } from '../answers/elsewhere.ts';
import { here } from '../answers/here.ts';
import { everyQuestion, kinds, type QuestionName, type Questions } from '../answers/kinds.ts';
import { retryOptions } from '../answers/remote-call.ts';
import { sharedQuestions } from '../answers/shared.ts';
import { createCarriers } from '../carriers/carriers.ts';
import { dispatchedSearch } from '../dispatch/dispatched-search.ts';
import type { OwnStatus, ProcessStatus } from '../figures/process-status.ts';
import type { PrimaryStats } from '../figures/stats-document.ts';
import { carrierSettings } from '../flags/carrier-settings.ts';
import { dispatchKind } from '../flags/dispatch-kinds.ts';
import { keepEvents } from '../operator/event-log.ts';
import { createOperator, type Operator } from '../operator/operator.ts';
import { withIds } from '../processes/process-ids.ts';
import { createProcessStats } from '../processes/process-stats.ts';
import { openWorms } from '../worms/worm-databases.ts';
import type { PrimaryTasks, ServeContext, ServingTasks } from './serving.ts';

const STATUS_TIMEOUT_MS = 1000;

/** Parts that all server processes share. */
interface Shared {
  readonly workers: Dispatcher<ServingTasks>;
  /** Answers of the server processes, of which equal ones are one; with a fleet the owner of a key answers. */
  readonly answers: Answers;
  /** `answers`, with a fleet. */
  readonly fleet: FleetAnswers | undefined;
  readonly operator: Operator;
  /** The row of this process. */
  status(cluster: PrimaryStats['cluster']): ProcessStatus;
  close(): Promise<void>;
}

interface PrimaryDependencies {
  /** Called when the first task runs, at the earliest. */
  supervisor(): Supervisor;
  /** Returns the address of the server; called once it listens. */
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
  /** Replaces the server processes one by one, and notes it. Called once they serve. */
  reload(): Promise<void>;
}

/** Milliseconds that the primary waits at most for what other hosts asked. They ask elsewhere what is left. */
const LEAVE_MS = 2000;

/** Creates the tasks of the primary. It waits and passes on: work that takes time runs in the server processes. */
export function createPrimary(context: ServeContext, dependencies: PrimaryDependencies): Primary {
  let shared: Shared;
  let fleet: FleetAnswers | undefined;
  const overview = () => overviewOf(dependencies.supervisor(), shared);
  const tasks = defineTasks<PrimaryTasks>(
    {
      askCarrier: (question, { signal }) =>
        shared.workers.run('askCarrier', question, { signal, ...retryOptions }),
      normalise: (bytes, { signal }) =>
        shared.workers.run('normalise', bytes, { signal, ...retryOptions }),
      ...answerTasks(() => shared.answers),
      overview,
      view: () => shared.operator.view(),
      nextView: (after) => shared.operator.next(after),
      history: () => shared.operator.history(),
      control: (command) => shared.operator.control(command),
    },
    {
      setup: async () => {
        shared = await share(context, { ...dependencies, overview });
        fleet = shared.fleet;
      },
      teardown: () => shared.close(),
    },
  );
  async function leave(): Promise<void> {
    if (fleet === undefined) return;
    const timeoutMs = Math.min(context.flags.deadlineMs, LEAVE_MS);
    const told = dependencies
      .supervisor()
      .broadcast<ServingTasks, 'leave'>('leave', undefined, { timeoutMs });
    await Promise.all([fleet.leave(timeoutMs), told]);
  }
  return { tasks, leave, reload: () => shared.operator.reload() };
}

async function share(
  context: ServeContext,
  {
    supervisor,
    url,
    stats: connectionStats,
    overview,
  }: PrimaryDependencies & { overview(): Promise<ProcessStatus[]> },
): Promise<Shared> {
  const { flags, carriersUrl, now, startedAt } = context;
  const workers = supervisor().dispatcher<ServingTasks>();
  const carriers = createCarriers(carrierSettings(flags, carriersUrl), now);
  const own = here(
    dispatchedSearch(workers, { flags, carriers, now }),
    await openWorms({ kind: 'none', url: '' }, flags),
  );
  const inServers = elsewhere(own, workers, { isKeyed: flags.keep !== 'off' });
  // With carriers' work on the same workers, a search there could wait for tasks that are queued behind documents.
  const searchesHere = dispatchKind(flags.dispatch).inServers === true;
  const answering = (name: QuestionName): Questions =>
    searchesHere && kinds[name].asksCarriers ? own : inServers;
  const equals = sharedQuestions({
    ...inServers,
    ...everyQuestion((name) => answering(name)[name]),
  });
  const fleet = flags.coalesce === 'fleet' ? await byOwner(equals, flags) : undefined;
  const answers = fleet ?? equals;
  const events = keepEvents(now);
  const watch = watchEventLoop();
  const processStats = createProcessStats(watch.stats);
  const reload = () => supervisor().reload();
  const operator = createOperator(context, { processes: overview, url, reload });
  // The coalescers here are in use with `machine` alone.
  const isMachine = flags.coalesce === 'machine';
  return {
    workers,
    answers,
    fleet,
    operator,
    status(cluster) {
      const counted = answers.stats();
      const { keys, search } = counted;
      const searches = searchesHere && (isMachine || keys !== undefined);
      const stats: PrimaryStats = {
        ...(isMachine ? coalesceStats(counted) : notCoalesced),
        ...(keys && { keys }),
        cluster,
        ...(searches && {
          search,
          kept: carriers.kept.stats(),
          http: carriers.http.stats(),
          guards: carriers.guards.stats(),
        }),
        process: processStats(),
        ...connectionStats(),
      };
      return {
        id: 'primary',
        role: 'primary',
        pid: process.pid,
        state: 'ready',
        ageMs: now() - startedAt,
        stats,
        events: events.list(),
      };
    },
    async close() {
      watch.close();
      events.close();
      await operator.close();
      await answers.close();
      await carriers.close();
    },
  };
}

/** Asks every server process for its counters; one that does not report in time is `silent`. */
async function overviewOf(supervisor: Supervisor, { status }: Shared): Promise<ProcessStatus[]> {
  const options = { timeoutMs: STATUS_TIMEOUT_MS };
  const outcomes = await supervisor.broadcast<ServingTasks, 'status'>('status', undefined, options);
  const reports = new Map<number, OwnStatus>();
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') reports.set(outcome.value.pid, outcome.value);
  }
  // `workers` holds processes, which are not plain data.
  const { workers, ...cluster } = supervisor.stats();
  return [
    status(cluster),
    ...withIds('server', workers).flatMap(({ id, worker }): ProcessStatus[] => {
      const { pid, ageMs, state } = worker;
      if (pid === undefined) return [];
      const report = reports.get(pid);
      const known = { id, role: 'server', pid, ageMs } as const;
      if (report !== undefined) return [{ ...known, state, ...report }];
      return [{ ...known, state: state === 'ready' ? 'silent' : state }];
    }),
  ];
}
