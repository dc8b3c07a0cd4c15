import { type FleetSetting, setting5 } from '../setting-5.ts';
import type { NetworkOptions } from './simulated-nats.ts';

/** Fault of a fleet under load. */
export type Fault =
  /** No fault; or the first host dies, stops for five seconds, becomes slow, or leaves. */
  | { readonly kind: 'none' | 'kill' | 'stop' | 'slow' | 'drain' }
  /** Hosts die, this share of them a second, and others take their places. */
  | { readonly kind: 'deaths'; readonly sharePerSecond: number }
  /** Every host leaves once, so many shares of all at a time, and its successor joins. */
  | { readonly kind: 'deploy'; readonly shareAtOnce: number }
  /** A zone is cut off from all others. */
  | { readonly kind: 'partition' }
  | { readonly kind: 'heal' }
  /** A share of the hosts leaves at once, and none takes their places. */
  | { readonly kind: 'leave'; readonly share: number };

export interface Phase {
  readonly name: string;
  readonly seconds: number;
  readonly fault: Fault;
}

/** Fleet, its load, and its faults. */
export interface Setting
  extends Omit<FleetSetting, 'seconds' | 'faultAtSecond' | 'delayMs' | 'announceMs'> {
  readonly name: string;
  readonly zones: number;
  readonly network: NetworkOptions;
  /** Standard deviations of the logarithms of tasks' times, and of hosts' speeds. */
  readonly taskSigma: number;
  readonly speedSigma: number;
  /** Share of hosts that are `slowBy` times slower from the beginning. */
  readonly slowShare: number;
  readonly arrivals: 'even' | 'random';
  /** Calls with a key, of all dispatchers, and the keys that they are drawn from by Zipf's law. */
  readonly keyedPerSecond: number;
  readonly keys: number;
  /** Largest difference of two machines' clocks: milliseconds, and parts of a million. */
  readonly clockOffsetMs: number;
  readonly clockRatePpm: number;
  /** Milliseconds within which events share a turn of the event loop. */
  readonly grainMs: number;
  readonly warmUpSeconds: number;
  readonly phases: readonly Phase[];
}

/** Times and load of a small fleet. */
const { seconds, faultAtSecond, delayMs, announceMs: _, ...five } = setting5;

const small: Setting = {
  ...five,
  name: '5 hosts',
  zones: 1,
  network: { delayMs, betweenZonesMs: delayMs, jitter: 0 },
  taskSigma: 0,
  speedSigma: 0,
  slowShare: 0,
  arrivals: 'even',
  keyedPerSecond: 0,
  keys: 1,
  clockOffsetMs: 0,
  clockRatePpm: 0,
  grainMs: 0.01,
  warmUpSeconds: 2,
  phases: [],
};

/** Settings of one load with each fault, after `faultAtSecond`. */
const smallSettings: readonly Setting[] = (['none', 'kill', 'stop', 'slow', 'drain'] as const).map(
  (kind) => ({
    ...small,
    phases: [
      { name: 'before', seconds: faultAtSecond, fault: { kind: 'none' } },
      {
        name: kind === 'none' ? 'steady' : kind,
        seconds: seconds - faultAtSecond,
        fault: { kind },
      },
    ],
  }),
);

/** Phases of a large fleet. */
const life: readonly Phase[] = [
  { name: 'steady', seconds: 3, fault: { kind: 'none' } },
  { name: 'deaths', seconds: 4, fault: { kind: 'deaths', sharePerSecond: 0.01 } },
  { name: 'deploy', seconds: 6, fault: { kind: 'deploy', shareAtOnce: 0.25 } },
  { name: 'partition', seconds: 3, fault: { kind: 'partition' } },
  { name: 'healed', seconds: 6, fault: { kind: 'heal' } },
  { name: 'leave', seconds: 5, fault: { kind: 'leave', share: 0.1 } },
];

/** Returns a setting at half of the hosts' capacity; owners of keys use a fifth of theirs for keys. */
function large(
  {
    hosts,
    dispatchers,
    capacity,
  }: {
    readonly hosts: number;
    readonly dispatchers: number;
    readonly capacity: number;
  },
  phases: readonly Phase[] = life,
): Setting {
  const taskMs = 100;
  const owners = Math.min(16, hosts);
  return {
    ...small,
    name: `${hosts} hosts, ${dispatchers} dispatchers, ${capacity} tasks a host`,
    workerHosts: hosts,
    servingHosts: dispatchers,
    capacity,
    taskMs,
    callsPerSecond: (0.5 * hosts * capacity * 1000) / taskMs,
    zones: 4,
    network: { delayMs: 0.2, betweenZonesMs: 1, jitter: 0.5 },
    taskSigma: 0.5,
    speedSigma: 0.1,
    slowShare: 0.01,
    arrivals: 'random',
    keyedPerSecond: (0.2 * owners * capacity * 1000) / taskMs,
    keys: 1000,
    clockOffsetMs: 60_000,
    clockRatePpm: 200,
    grainMs: 0.25,
    warmUpSeconds: 2,
    phases,
  };
}

/** Settings by the number of hosts on the command line. */
export const settings: Readonly<Record<string, readonly Setting[]>> = {
  '5': smallSettings,
  '100': [
    large({ hosts: 100, dispatchers: 20, capacity: 8 }),
    // As many tasks as a host takes by default.
    large({ hosts: 100, dispatchers: 20, capacity: 64 }, life.slice(0, 1)),
  ],
  '300': [large({ hosts: 300, dispatchers: 60, capacity: 8 }, shorter(0.6))],
  // With half the tasks, and fewer phases: a second of it has 20,000 calls.
  '1000': [
    {
      ...large({ hosts: 1000, dispatchers: 200, capacity: 4 }, [
        { name: 'steady', seconds: 5, fault: { kind: 'none' } },
        { name: 'leave', seconds: 5, fault: { kind: 'leave', share: 0.1 } },
        { name: 'deaths', seconds: 5, fault: { kind: 'deaths', sharePerSecond: 0.01 } },
      ]),
      warmUpSeconds: 1,
    },
  ],
};

function shorter(share: number): readonly Phase[] {
  return life.map((phase) => ({ ...phase, seconds: Math.ceil(share * phase.seconds) }));
}
