import type { EngineServer } from '@ticketing/test-kit';
import {
  type Check,
  comesBack,
  type Evidence,
  idempotentAnswered,
  keepsUp,
  loadsPerKey,
  loadsWithout,
  lostWhatItHad,
  noCallWaits,
  noneBeginsLate,
  noneFails,
  noOtherFailure,
  passesOver,
  TOLD_MS,
  tailAtMost,
  throughputBack,
  toldWithin,
} from './checks.ts';
import type { Fleet, FleetPlan, Member } from './fleet.ts';

/** Clock and notes of a row's faults. */
export interface Acting {
  /** Resolves at a second of the load. */
  until(second: number): Promise<void>;
  /** Notes the time, by name. */
  mark(name: 'fault' | 'healed'): void;
  /** Notes a figure, by name. */
  note(name: 'messagesPerSecond', value: number): void;
  readonly fault: number;
}

/** Fault of a fleet under a constant load, and the checks that must hold. */
export interface Row {
  readonly id: string;
  readonly what: string;
  readonly plan?: FleetPlan;
  /** Seconds of a load that takes longer than the setting's. */
  readonly moreSeconds?: number;
  /** True if the row is compared with the same load without a fault. */
  readonly comparesWithSteady?: boolean;
  act(fleet: Fleet, acting: Acting): Promise<void>;
  judge(evidence: Evidence): Check[];
}

const PAUSE_SECONDS = 5;
const NATS_DOWN_SECONDS = 2;
const FULL_PER_SECOND = 400;
const REDIS_AWAY_SECONDS = 3;
const HOT_KEYS = 20;
/** Serving hosts that share loads. */
const SHARING = 3;
const KEPT_MS = 300;
const SLOW_LINK = { delayMs: 20, jitterMs: 5, lossPercent: 1 };

const first = (members: readonly Member[]): Member => {
  const [member] = members;
  if (member === undefined) throw new Error('Cannot act: the fleet has no such host');
  return member;
};

/** Takes a host away for five seconds, in silence. */
function pause(
  away: (host: Member) => void,
  back: (host: Member) => void,
): Pick<Row, 'act' | 'judge'> {
  return {
    async act({ workers }, { until, mark, fault }) {
      const host = first(workers);
      await until(fault);
      mark('fault');
      away(host);
      await until(fault + PAUSE_SECONDS);
      back(host);
      mark('healed');
    },
    judge: (evidence) => [
      ...toldWithin(evidence, TOLD_MS.silence),
      ...lostWhatItHad(evidence, 'worker-1'),
      ...noOtherFailure(evidence),
      ...noCallWaits(evidence),
      ...comesBack(evidence, 'worker-1'),
    ],
  };
}

/** Takes Redis away, and gives it back; questions go on. */
function redisGoes(
  away: (redis: EngineServer) => Promise<void> | void,
  back: (redis: EngineServer) => Promise<void> | void,
): Pick<Row, 'plan' | 'act' | 'judge'> {
  return {
    plan: {
      hasRedis: true,
      servingHosts: SHARING,
      server: () => ({ loads: { keys: HOT_KEYS, by: 'redis', ttlMs: KEPT_MS } }),
    },
    async act({ redis }, { until, mark, fault }) {
      if (redis === undefined) throw new Error('Cannot act: the fleet has no Redis');
      await until(fault);
      mark('fault');
      await away(redis);
      await until(fault + REDIS_AWAY_SECONDS);
      await back(redis);
      mark('healed');
    },
    judge: (evidence) => [
      ...noneFails(evidence),
      ...noCallWaits(evidence),
      ...loadsWithout(evidence, SHARING),
    ],
  };
}

/** Ends servers of NATS; the first is started again after two seconds if it was the only one. */
function natsGoes(count: number): Row['act'] {
  return async ({ nats }, { until, mark, fault }) => {
    await until(fault);
    mark('fault');
    await Promise.all(nats.slice(0, count).map((server) => server.stop('SIGKILL')));
    if (nats.length > count) return;
    await until(fault + NATS_DOWN_SECONDS);
    await nats[0]?.start();
    mark('healed');
  };
}

const natsGone: Row['judge'] = (evidence) => [
  ...idempotentAnswered(evidence),
  ...toldWithin(evidence, TOLD_MS.death),
  ...noOtherFailure(evidence),
  ...noneBeginsLate(evidence),
];

const nothing = (): Promise<void> => Promise.resolve();

/** Failure table, in the order in which it is run. */
export const rows: readonly Row[] = [
  {
    id: 'steady',
    what: 'nothing',
    async act({ messages, setting }, { until, mark, note, fault }) {
      await until(fault);
      mark('fault');
      const [from, before] = [performance.now(), messages()];
      await until(setting.seconds);
      note('messagesPerSecond', (messages() - before) / ((performance.now() - from) / 1000));
    },
    judge: (evidence) => [...noneFails(evidence), ...throughputBack(evidence, rate(evidence))],
  },
  {
    id: 'kill',
    what: 'SIGKILL of a worker host',
    async act({ workers }, { until, mark, fault }) {
      await until(fault);
      mark('fault');
      await first(workers).kill();
    },
    judge: (evidence) => [
      ...toldWithin(evidence, TOLD_MS.death),
      ...lostWhatItHad(evidence, 'worker-1'),
      ...noOtherFailure(evidence),
      ...throughputBack(evidence, rate(evidence)),
    ],
  },
  {
    id: 'stop',
    what: 'SIGSTOP of a worker host for 5 s',
    ...pause(
      (host) => host.signal('SIGSTOP'),
      (host) => host.signal('SIGCONT'),
    ),
  },
  {
    id: 'link-down',
    what: 'the link of a worker host is down for 5 s',
    ...pause(
      (host) => host.network.down(),
      (host) => host.network.up(),
    ),
  },
  {
    id: 'slow',
    what: 'a worker host is ten times slower',
    async act({ workers, setting }, { until, mark, fault }) {
      await until(fault);
      mark('fault');
      first(workers).tell({ do: 'slow', by: setting.slowBy });
    },
    judge: (evidence) => [...noneFails(evidence), ...tailAtMost(evidence, 1.5)],
  },
  {
    id: 'slow-full',
    what: 'the same, while more is asked than the others can do',
    plan: { callsPerSecond: FULL_PER_SECOND },
    async act({ workers, setting }, { until, mark, fault }) {
      await until(fault);
      mark('fault');
      first(workers).tell({ do: 'slow', by: setting.slowBy });
    },
    judge: (evidence) => {
      const { workerHosts, capacity, taskMs, seconds } = evidence.setting;
      const others = ((workerHosts - 1) * capacity * 1000) / taskMs;
      return keepsUp(evidence, { least: 0.9 * others, seconds });
    },
  },
  {
    id: 'slow-link',
    what: 'a link of 20 ± 5 ms and 1 % loss to one worker host',
    plan: { worker: (index) => (index === 0 ? { speed: SLOW_LINK } : {}) },
    comparesWithSteady: true,
    act: nothing,
    judge: (evidence) => [...noneFails(evidence), ...passesOver(evidence, 'worker-1')],
  },
  {
    id: 'drain',
    what: 'each worker host in turn leaves by drain, and comes back',
    moreSeconds: 10,
    async act({ workers }, { until, mark, fault }) {
      await until(fault);
      mark('fault');
      for (const host of workers) {
        host.tell({ do: 'drain' });
        await host.ended();
        await host.start();
      }
      mark('healed');
    },
    judge: noneFails,
  },
  {
    id: 'nats-kill',
    what: 'NATS is killed, and started after 2 s',
    act: natsGoes(1),
    judge: natsGone,
  },
  {
    id: 'nats-kill-fallback',
    what: 'the same, with `withFallback`',
    plan: { server: () => ({ hasFallback: true }) },
    act: natsGoes(1),
    judge: natsGone,
  },
  {
    id: 'nats-lame-duck',
    what: 'one of three NATS servers leaves in lame duck mode',
    plan: { natsServers: 3 },
    async act({ nats }, { until, mark, fault }) {
      await until(fault);
      mark('fault');
      nats[0]?.signal('SIGUSR2');
    },
    judge: (evidence) => [...idempotentAnswered(evidence), ...noOtherFailure(evidence)],
  },
  {
    id: 'nats-cluster',
    what: 'two of three NATS servers are killed',
    plan: { natsServers: 3 },
    act: natsGoes(2),
    judge: natsGone,
  },
  {
    id: 'owner-dies',
    what: 'SIGKILL of a serving host that owns hot keys (3 serving hosts, 20 keys)',
    plan: {
      servingHosts: SHARING,
      server: () => ({ loads: { keys: HOT_KEYS, by: 'owner' } }),
    },
    async act({ servers }, { until, mark, fault }) {
      await until(fault);
      mark('fault');
      await first(servers).kill();
    },
    judge: (evidence) => [
      ...noneFails({
        ...evidence,
        calls: evidence.calls.filter(({ server }) => server !== 'server-1'),
      }),
      ...noCallWaits(evidence),
      ...loadsPerKey(evidence),
    ],
  },
  {
    id: 'redis-stop',
    what: 'SIGSTOP of Redis for 3 s (3 serving hosts share 20 keys by leases)',
    ...redisGoes(
      (redis) => redis.signal('SIGSTOP'),
      (redis) => redis.signal('SIGCONT'),
    ),
  },
  {
    id: 'redis-kill',
    what: 'the same, while Redis is killed and started after 3 s',
    ...redisGoes(
      (redis) => redis.stop('SIGKILL'),
      (redis) => redis.start(),
    ),
  },
  {
    id: 'revisions',
    what: 'two revisions at once: one worker host lacks a task',
    plan: {
      worker: (index) => (index === 0 ? { revision: 'old' } : { revision: 'new', hasExtra: true }),
      server: (index) => ({ needsExtra: index === 1 }),
    },
    act: nothing,
    judge: (evidence) => {
      const { reports, calls } = evidence;
      const refused = (server: string): number => reports.get(server)?.refused.tasks ?? 0;
      const onOld = (server: string): number =>
        calls.filter((call) => call.server === server && call.host === 'worker-1').length;
      return [
        ...noneFails(evidence),
        {
          claim: 'who needs the task passes the other revision over',
          measured: `${onOld('server-2')} calls there, ${onOld('server-1')} of those who do not need it`,
          holds: onOld('server-2') === 0 && onOld('server-1') > 0,
        },
        {
          claim: 'refusals are counted by reason',
          measured: `tasks ${refused('server-2')} and ${refused('server-1')}`,
          holds: refused('server-2') > 0 && refused('server-1') === 0,
        },
      ];
    },
  },
];

function rate({ setting }: Evidence): number {
  return setting.callsPerSecond;
}
