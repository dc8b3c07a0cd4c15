import type { NatsHostStats } from '@ticketing/dispatch-nats';
import { coalesceStats } from '../answers/answers-stats.ts';
import { hostQuestions } from '../answers/by-owner.ts';
import { createCarriers } from '../carriers/carriers.ts';
import { composedSearch } from '../carriers/composed-search.ts';
import { compose } from '../compose/compose.ts';
import { WORKER_TASKS, type WorkerTasks } from '../dispatch/start-dispatcher.ts';
import { taskReportOf } from '../figures/checked-reports.ts';
import type { HostReport } from '../figures/stats-document.ts';
import { carrierSettings } from '../flags/carrier-settings.ts';
import type { Flags } from '../flags/flag-specs.ts';
import { joinedGuards } from '../guard/joined-guards.ts';
import { natsOptions } from '../nats/nats-options.ts';
import { versions } from '../processes/versions.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { WormLocation } from '../worms/worm-databases.ts';

/** A process that runs tasks of a fleet, and serves no HTTP. */
export interface Host {
  /** Resolves when others can find it. */
  ready(): Promise<void>;
  /** Returns whether NATS can be reached and the host takes tasks. */
  isReady(): boolean;
  stats(): HostStats;
  /** Has the others start elsewhere what is new, and finishes what it has. No call fails. Idempotent. */
  drain(): Promise<void>;
  /** Ends what is left. Idempotent. */
  close(): Promise<void>;
}

/** Counters of a host. */
export interface HostStats extends HostReport {
  /** Figures of the two parts that others see. */
  readonly tasks: NatsHostStats;
  readonly questions: NatsHostStats;
}

export interface HostOptions {
  readonly flags: Flags;
  /** Name of the host in the fleet, and in metrics. */
  readonly name: string;
  readonly carriersUrl: string;
  readonly worms: WormLocation;
  readonly telemetry: Telemetry;
}

/**
 * Starts a host: it runs carriers' tasks and whole searches by the dispatcher that the flags name, and answers whole questions whose keys it owns.
 * `drain()`, then `close()`.
 */
export async function startHost(options: HostOptions): Promise<Host> {
  const { flags, name, carriersUrl, worms, telemetry } = options;
  const now = Date.now;
  const { serveNatsTasks } = await import('@ticketing/dispatch-nats');
  const carriers = createCarriers(carrierSettings(flags, carriersUrl), now);
  // A call names the carriers that it means.
  const hostSearch = composedSearch(carriers);
  const parts = await compose(
    { ...flags, coalesce: 'on' },
    { carriers, now, worms, telemetry, hostSearch },
  );
  const { whole } = parts;
  if (whole === undefined) throw new Error(`Cannot start a host: --dispatch ${flags.dispatch}`);
  const report = (): HostReport => {
    const { pid, stats } = parts.status();
    const workers = stats.dispatch.workers.flatMap(
      ({ moduleReport }) => taskReportOf(moduleReport) ?? [],
    );
    const searches = [hostSearch.stats(), ...workers.flatMap(({ search }) => search ?? [])];
    return {
      name,
      pid,
      ageMs: performance.now(),
      http: summed([stats.http, ...workers.map(({ http }) => http)]),
      guards: joinedGuards([stats.guards, ...workers.map(({ guards = {} }) => guards)]),
      search: summed([stats.search, ...searches.map(ofAsked)]),
      ...coalesceStats(stats),
      ...keptIn([stats.kept, ...workers.map(({ kept }) => kept)]),
      process: stats.process,
    };
  };
  const tasks = serveNatsTasks<WorkerTasks>({
    nats: natsOptions(flags, `${name} tasks`),
    fleet: flags.fleet,
    hostId: name,
    dispatcher: whole,
    tasks: WORKER_TASKS,
    revision: versions.ticketing,
    ...(flags.zone !== undefined && { zone: flags.zone }),
    report,
  });
  const questions = await hostQuestions(parts.answers, { flags, name, report });
  const both = [tasks, questions.host];
  let closing: Promise<void> | undefined;
  return {
    ready: async () => void (await Promise.all(both.map((host) => host.ready()))),
    isReady: () => both.every(({ state }) => state === 'serving'),
    stats: () => ({ ...report(), tasks: tasks.stats(), questions: questions.host.stats() }),
    async drain() {
      const timeoutMs = flags.deadlineMs;
      await Promise.all(both.map((host): Promise<unknown> => host.drain({ timeoutMs })));
    },
    close: () =>
      (closing ??= (async () => {
        await tasks.close();
        await questions.close();
        await hostSearch.close();
        await parts.close();
      })()),
  };
}

/** Returns the counters of all that keep answers, if any does. */
function keptIn(all: readonly HostReport['kept'][]): Pick<HostReport, 'kept'> {
  const kept = all.filter((one) => one !== undefined);
  return kept.length === 0 ? {} : { kept: summed(kept) };
}

/** Returns a report of the carriers that were asked, without the others. */
function ofAsked(stats: HostReport['search']): HostReport['search'] {
  const carriers = Object.entries(stats.carriers).filter(([, ends]) =>
    Object.values(ends).some((count) => count > 0),
  );
  return { ...stats, carriers: Object.fromEntries(carriers) };
}

/** Adds counts up, nested ones too. Texts, and the bounds of buckets, are taken from the first. */
function summed<T>(all: readonly T[]): T {
  const [first] = all;
  if (typeof first === 'number')
    return all.reduce((sum: number, each) => sum + Number(each), 0) as T;
  if (typeof first !== 'object' || first === null) return first as T;
  if (Array.isArray(first)) {
    return first.map((_, index) => summed(all.map((each) => (each as unknown[])[index]))) as T;
  }
  const names = new Set(all.flatMap((each) => Object.keys(each as object)));
  const sumOf = (name: string): unknown => {
    const values = all.map((each) => (each as Record<string, unknown>)[name]);
    const given = values.filter((value) => value !== undefined);
    return name === 'leMs' ? given[0] : summed(given);
  };
  return Object.fromEntries([...names].map((name) => [name, sumOf(name)])) as T;
}
