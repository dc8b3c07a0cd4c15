// A carrier with log-normal latency, asked with and without a hedge at the same time.
import { createGuard } from '../../src/index.ts';
import { latencyMs, steadyLoad } from './steady-load.ts';
import { startUpstream } from './upstream.ts';

const P50_MS = 40;
const P99_MS = 400;

export interface HedgedFigures {
  readonly calls: number;
  /** Requests that reached the carrier, per call. */
  readonly requests: number;
  /** Quantiles in milliseconds, without and with a hedge. */
  readonly plain: Quantiles;
  readonly hedged: Quantiles;
}

export interface Quantiles {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

/**
 * Asks with a half within 40 ms and 99 of 100 within 400 ms.
 *
 * @param load `slowMotion` multiplies all times: what the machine adds to them then counts for less
 */
export async function measureHedgedCarrier(load: {
  readonly perSecond: number;
  readonly seconds: number;
  readonly slowMotion: number;
}): Promise<HedgedFigures> {
  const [p50Ms, p99Ms] = [P50_MS * load.slowMotion, P99_MS * load.slowMotion];
  const plan = { latency: { kind: 'lognormal', p50Ms, p99Ms } } as const;
  await using upstream = await startUpstream({ plain: plan, hedged: plan });
  await using guard = createGuard({ name: 'hedged', hedge: {} });
  await upstream.connect(20);
  const [plain, hedged] = await Promise.all([
    steadyLoad(load, () => upstream.ask('plain')),
    steadyLoad(load, () => guard.run(({ signal }) => upstream.ask('hedged', signal))),
  ]);
  const quantiles = (calls: typeof plain): Quantiles => ({
    p50: latencyMs(calls, 0.5),
    p99: latencyMs(calls, 0.99),
    p999: latencyMs(calls, 0.999),
  });
  return {
    calls: hedged.length,
    requests: upstream.arrived('hedged') / hedged.length,
    plain: quantiles(plain),
    hedged: quantiles(hedged),
  };
}

const Z_99 = 2.3263478740408408;

/** Share of calls that take longer. */
function longerThan(ms: number): number {
  if (ms <= 0) return 1;
  const z = (Z_99 * Math.log(ms / P50_MS)) / Math.log(P99_MS / P50_MS);
  return z < 0 ? 1 - upperTail(-z) : upperTail(z);
}

/** Share of a standard normal distribution above `z`, from 0 on, by Abramowitz and Stegun 26.2.17: to 1e-7. */
function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const terms = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429];
  const sum = terms.reduceRight((rest, term) => (rest + term) * t, 0);
  return (sum * Math.exp(-(z * z) / 2)) / Math.sqrt(2 * Math.PI);
}

/** Returns the lowest ratio of p99 that one hedge can reach with a share of further requests, by the distribution itself. */
export function leastHedgedRatio(further: number): number {
  const first = (holds: (ms: number) => boolean): number => {
    let ms = 1;
    while (!holds(ms)) ms += 0.1;
    return ms;
  };
  const afterMs = first((ms) => longerThan(ms) <= further);
  return first((ms) => longerThan(ms) * longerThan(ms - afterMs) <= 0.01) / P99_MS;
}
