import type { DrainReport } from '@ticketing/dispatch';
import type { NatsHostStats } from '@ticketing/dispatch-nats';
import { compose } from '../compose.ts';
import type { Flags } from '../flags/flag-specs.ts';
import { versions } from '../operator/versions.ts';
import { CARRIER_TASKS, type CarrierTasks, createCarriers } from '../search/carriers.ts';
import type { HostReport, ServerStats, TaskWorkerReport } from '../serving/serving.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { WormLocation } from '../worms/worm-databases.ts';
import { natsOptions } from './nats-options.ts';
import { hostQuestions } from './question-fleet.ts';

/** A process that runs tasks of a fleet, and serves no HTTP. */
export interface Host {
  /** Resolves when others can find it. */
  ready(): Promise<void>;
  /** Whether NATS can be reached, and it takes tasks. */
  isReady(): boolean;
  stats(): HostStats;
  /** Has the others start elsewhere what is new, and finishes what it has. No call fails. Idempotent. */
  drain(): Promise<void>;
  /** Ends what is left. Idempotent. */
  close(): Promise<void>;
}

/** Counters of a host. */
export interface HostStats extends HostReport {
  /** What the two parts that others see have done. */
  readonly tasks: NatsHostStats;
  readonly questions: NatsHostStats;
}

export interface HostOptions {
  readonly flags: Flags;
  /** Names it in the fleet; its metrics have this name too. */
  readonly name: string;
  readonly carriersUrl: string;
  readonly worms: WormLocation;
  readonly telemetry: Telemetry;
}

/**
 * Starts a host: it runs carriers' tasks by the dispatcher that the flags name, and answers whole questions whose keys it owns.
 * `drain()`, then `close()`.
 */
export async function startHost(options: HostOptions): Promise<Host> {
  const { flags, name, carriersUrl, worms, telemetry } = options;
  const now = Date.now;
  const { serveNatsTasks } = await import('@ticketing/dispatch-nats');
  const carriers = createCarriers({ carriersUrl, ouigo: flags.ouigo }, now);
  const parts = await compose({ ...flags, coalesce: 'on' }, { carriers, now, worms, telemetry });
  const report = (): HostReport => {
    const { pid, stats } = parts.status();
    const { search, coalesce } = stats;
    return {
      ...{
        name,
        pid,
        ageMs: performance.now(),
        http: callsOf(stats),
        search,
        coalesce,
        process: stats.process,
      },
      worms: { coalesce: stats.worms.coalesce },
    };
  };
  const tasks = serveNatsTasks<CarrierTasks>({
    ...{ nats: natsOptions(flags, `${name} tasks`), fleet: flags.fleet, hostId: name },
    ...{ dispatcher: parts.dispatcher, tasks: CARRIER_TASKS, revision: versions.ticketing },
    ...(flags.zone !== undefined && { zone: flags.zone }),
    report,
  });
  const questions = await hostQuestions(parts.finders, { flags, name, report });
  const both = [tasks, questions.host];
  let draining: Promise<void> | undefined;
  let closing: Promise<void> | undefined;
  async function drain(): Promise<void> {
    const timeoutMs = flags.deadlineMs;
    await Promise.all(both.map((host): Promise<DrainReport> => host.drain({ timeoutMs })));
  }
  return {
    ready: async () => void (await Promise.all(both.map((host) => host.ready()))),
    isReady: () => both.every(({ state }) => state === 'serving'),
    stats: () => ({ ...report(), tasks: tasks.stats(), questions: questions.host.stats() }),
    drain: () => (draining ??= drain()),
    close: () =>
      (closing ??= (async () => {
        await tasks.close();
        await questions.close();
        await parts.close();
      })()),
  };
}

/** Returns the calls to carriers of this process and of its workers. */
function callsOf({ http, dispatch }: ServerStats): ServerStats['http'] {
  const all = dispatch.workers.map(
    ({ moduleReport }) => moduleReport as TaskWorkerReport | undefined,
  );
  const sum = (carrier: string, count: 'inFlight' | 'sent' | 'retried' | 'refused'): number =>
    [http, ...all.map((one) => one?.http)].reduce(
      (sofar, calls) => sofar + (calls?.[carrier]?.[count] ?? 0),
      0,
    );
  return Object.fromEntries(
    Object.keys(http).map((id) => [
      id,
      {
        ...{ inFlight: sum(id, 'inFlight'), sent: sum(id, 'sent') },
        ...{ retried: sum(id, 'retried'), refused: sum(id, 'refused') },
      },
    ]),
  );
}
