import type { Latency } from './plan.ts';
import type { Random } from './random.ts';

const longestMs = 600_000;

/** The standard normal value that 99 of 100 draws stay below. */
const z99 = 2.3263478740408408;

/** Draws how long the next call takes, in milliseconds. */
export function drawLatency(latency: Latency, random: Random): number {
  switch (latency.kind) {
    case 'fixed':
      return latency.ms;
    case 'random':
      return random.below(1000);
    case 'lognormal': {
      const { p50Ms, p99Ms } = latency;
      // A normal value from two uniform ones: the transform of Box and Muller.
      const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
      const normal = radius * Math.cos(2 * Math.PI * random.next());
      return Math.min(longestMs, p50Ms * (p99Ms / p50Ms) ** (normal / z99));
    }
  }
}
