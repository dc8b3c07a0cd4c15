import { draw, randomOf } from '../../src/loading/random-from.ts';
import { type EngineName, type Part, type Setup, servesAlone } from '../setups.ts';
import { CARRIER_FAULTS } from './carrier-faults.ts';
import type { FaultName, PlannedFault } from './fault.ts';

/** What can be drawn: a kind of fault at one part, with its weight and the longest time that it lasts. */
interface Choice {
  readonly name: FaultName;
  readonly part?: Part;
  readonly weight: number;
  /** Milliseconds, from and to; two zeros: it has no end of its own. */
  readonly lasts: readonly [number, number];
}

const GAP_MS = [1000, 3000] as const;
const SLEEPS = [300, 3000] as const;
const ONCE = [0, 0] as const;
const OUTAGE = [500, 3000] as const;
/** Time in which nothing else is done to a carrier or an engine that has recovered. */
const REST_MS = 200;
/** Draws until one fits beside the faults that last. */
const TRIES = 20;

/** Returns the faults of a set-up that a seed gives: one every one to three seconds, none that lasts beyond the end. */
export function scheduleOf(
  setup: Setup,
  { seed, ms }: { readonly seed: number; readonly ms: number },
): readonly PlannedFault[] {
  const random = randomOf(seed, `faults of ${setup.name}`);
  const choices = choicesOf(setup);
  const busyUntil = new Map<string, number>();
  const faults: PlannedFault[] = [];
  for (let atMs = between(random, GAP_MS); atMs < ms; atMs += between(random, GAP_MS)) {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const { fault, resource } = drawFault(random, choices, { atMs, number: faults.length });
      const endMs = atMs + fault.durationMs;
      if (endMs > ms || (busyUntil.get(resource) ?? 0) > atMs) continue;
      busyUntil.set(resource, endMs + REST_MS);
      faults.push(fault);
      break;
    }
  }
  return faults;
}

/** Returns every kind of fault that a set-up can have. */
export function choicesOf(setup: Setup): readonly Choice[] {
  const own = setup.parts.flatMap((part): Choice[] => [
    { name: 'SIGKILL', part, weight: 3, lasts: ONCE },
    { name: 'SIGSTOP', part, weight: 2, lasts: SLEEPS },
    ...(part === 'nats' ? [] : [{ name: 'SIGTERM', part, weight: 1, lasts: ONCE } as const]),
    ...(part === 'nats' ? [] : [{ name: 'SIGHUP', part, weight: 1, lasts: ONCE } as const]),
  ]);
  const engines = [...setup.engines, 'carriers' as const].flatMap((part): Choice[] => [
    { name: 'SIGKILL', part, weight: 1, lasts: OUTAGE },
    { name: 'SIGSTOP', part, weight: 1, lasts: SLEEPS },
  ]);
  const serving: Part = servesAlone(setup) ? 'primary' : 'server';
  return [
    ...own,
    ...engines,
    ...flushes(setup.engines),
    // The primary lives: the port is its, and all else hangs on it.
    { name: 'SIGHUP', part: 'primary', weight: 1, lasts: ONCE },
    { name: 'SIGSTOP', part: 'primary', weight: 1, lasts: [300, 1500] },
    { name: 'carrier fault', weight: 6, lasts: [1000, 5000] },
    { name: 'carrier slow', weight: 1, lasts: [1000, 5000] },
    { name: 'carrier full', weight: 1, lasts: [1000, 5000] },
    { name: 'cores burnt', weight: 1, lasts: [500, 2000] },
    { name: 'descriptors short', part: serving, weight: 1, lasts: [500, 3000] },
    { name: '/dev/shm full', weight: 1, lasts: [500, 3000] },
  ];
}

function flushes(engines: readonly EngineName[]): Choice[] {
  return engines.includes('redis')
    ? [{ name: 'Redis flushed', part: 'redis', weight: 1, lasts: ONCE }]
    : [];
}

function drawFault(
  random: () => number,
  choices: readonly Choice[],
  { atMs, number }: { readonly atMs: number; readonly number: number },
): { readonly fault: PlannedFault; readonly resource: string } {
  const { name, part, lasts } = draw(random, choices, ({ weight }) => weight);
  const durationMs = Math.floor(between(random, lasts));
  const pick = random();
  const share = draw(random, [1, 0.5, 0.2]);
  const own = draw(random, CARRIER_FAULTS);
  const base = { fault: number, atMs: Math.floor(atMs), durationMs, name, pick };
  const { carrier } = own;
  const resource = `carrier ${carrier}`;
  switch (name) {
    case 'carrier fault': {
      const { kind, alters } = own;
      const plan = { fault: { kind, share } };
      return { fault: { ...base, carrier, plan, alters }, resource };
    }
    case 'carrier slow': {
      const plan = { latency: { kind: 'lognormal', p50Ms: 100, p99Ms: 1500 } } as const;
      return { fault: { ...base, carrier, plan }, resource };
    }
    case 'carrier full': {
      const plan = { capacity: { concurrent: 1, queue: 2 } };
      return { fault: { ...base, carrier, plan }, resource };
    }
    default: {
      const fault = part === undefined ? base : { ...base, part };
      // Two servers are never stopped at once, nor is one killed while the other is stopped: then none would serve.
      return { fault, resource: part ?? name };
    }
  }
}

function between(random: () => number, [from, to]: readonly [number, number]): number {
  return from + random() * (to - from);
}
