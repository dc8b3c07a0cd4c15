import { lognormal, type ModelledLoad } from './modelled-carrier.ts';

/** Second at which a load changes. */
export const CHANGES_S = 30;
/** Seconds in which a limit adapts. */
export const ADAPTS_S = 5;

/** Value before the change, and after. */
const changing = (before: number, after: number) => (now: number) =>
  now < 1000 * CHANGES_S ? before : after;

/** Load at half as many calls again as the carrier can answer. */
interface NamedLoad {
  readonly name: string;
  readonly load: Omit<ModelledLoad, 'seed'>;
  /** The best fixed limit. */
  readonly best: number;
}

const base = { seconds: 2 * CHANGES_S, concurrent: 20 };
const doubling = { perSecond: changing(150, 75), latencyMs: changing(200, 400) };
const halving = { perSecond: changing(75, 150), latencyMs: changing(400, 200) };

export const loads: readonly NamedLoad[] = [
  ...[0, 0.25, 1].map((slowdown) => ({
    name: `200 ms, then 400 ms; slowdown ${slowdown}`,
    load: { ...base, ...doubling, slowdown },
    best: 20,
  })),
  {
    name: '400 ms, then 200 ms; slowdown 0.25',
    load: { ...base, ...halving, slowdown: 0.25 },
    best: 20,
  },
  {
    name: 'log-normal, p50 100 ms, p99 300 ms; slowdown 0.25',
    load: { ...base, perSecond: () => 260, latencyMs: lognormal(100, 300), slowdown: 0.25 },
    best: 20,
  },
  {
    name: 'log-normal, p50 40 ms, p99 400 ms; slowdown 0.25',
    load: { ...base, perSecond: () => 500, latencyMs: lognormal(40, 400), slowdown: 0.25 },
    best: 20,
  },
  {
    name: 'the same with more capacity than calls',
    load: {
      ...base,
      concurrent: 1000,
      perSecond: () => 1000,
      latencyMs: lognormal(40, 400),
      slowdown: 0.25,
    },
    best: 256,
  },
];
