// A carrier that serves 20 calls at a time and gets slower above that, and whose latency doubles under way, asked with an adaptive
// limit and with fixed ones, at half as many calls again as it can answer.
import { type ConcurrencyOptions, createGuard } from '../../src/index.ts';
import { latencyMs, steadyLoad } from './steady-load.ts';
import { startUpstream } from './upstream.ts';

const CONCURRENT = 20;
const LATENCY_MS = 200;
/** Fixed limits that it is compared with. */
export const FIXED_LIMITS = [10, 15, 20, 30, 40, 80] as const;
/** Seconds after a change that are left out: in which the limit adapts. */
const ADAPTS_S = 5;

/** One limit, before and after the latency has doubled. */
export interface LimitFigures {
  readonly name: string;
  readonly before: PhaseFigures;
  readonly after: PhaseFigures;
}

export interface PhaseFigures {
  /** Calls that the carrier answered, per second. */
  readonly perSecond: number;
  /** The same as a share of the most that it can answer. */
  readonly goodput: number;
  /** 99th percentile of latency, as a multiple of the latency without load. */
  readonly p99: number;
}

/** Measures each limit for `seconds` before the latency doubles, and as long after. The first one adapts. */
export async function measureSlowedCarrier(load: SlowedLoad): Promise<readonly LimitFigures[]> {
  const limits: Record<string, ConcurrencyOptions> = { adaptive: { adaptive: {} } };
  for (const limit of load.fixedLimits) limits[`fixed ${limit}`] = { limit };
  return Promise.all(
    Object.entries(limits).map(([name, concurrency]) => measureLimit(name, concurrency, load)),
  );
}

export interface SlowedLoad {
  readonly seconds: number;
  readonly slowdown: number;
  /** Multiplies all times but `seconds`: what the machine adds to them then counts for less. */
  readonly slowMotion: number;
  readonly fixedLimits: readonly number[];
}

async function measureLimit(
  name: string,
  concurrency: ConcurrencyOptions,
  { seconds, slowdown, slowMotion }: SlowedLoad,
): Promise<LimitFigures> {
  const capacity = { concurrent: CONCURRENT, queue: 10_000, slowdown };
  await using upstream = await startUpstream({ slowed: { capacity } });
  await using guard = createGuard({ name, concurrency });
  const adaptsMs = 1000 * ADAPTS_S * slowMotion;
  const phase = async (latencyOfPhaseMs: number): Promise<PhaseFigures> => {
    upstream.setPlan('slowed', { latency: { kind: 'fixed', ms: latencyOfPhaseMs } });
    const most = (1000 * CONCURRENT) / latencyOfPhaseMs;
    let answeredBefore = 0;
    let counted = 0;
    let ms = Number.NaN;
    let from = Number.NaN;
    const calls = await steadyLoad({ perSecond: 1.5 * most, seconds }, (dueMs) => {
      if (dueMs >= adaptsMs) {
        if (Number.isNaN(from)) {
          from = performance.now();
          answeredBefore = upstream.answered('slowed');
        }
        counted = upstream.answered('slowed') - answeredBefore;
        ms = performance.now() - from;
      }
      return guard.run(({ signal }) => upstream.ask('slowed', signal));
    });
    const adapted = calls.filter(({ dueMs }) => dueMs >= adaptsMs);
    const perSecond = (1000 * counted) / ms;
    return {
      perSecond,
      goodput: perSecond / most,
      p99: latencyMs(adapted, 0.99) / latencyOfPhaseMs,
    };
  };
  const latencyMsBefore = LATENCY_MS * slowMotion;
  return { name, before: await phase(latencyMsBefore), after: await phase(2 * latencyMsBefore) };
}
