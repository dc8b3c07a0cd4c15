// Searches of three carriers, one of which hangs, beside searches of the two others.
import { createGuard } from '../../src/index.ts';
import { latencyMs, steadyLoad } from './steady-load.ts';
import { startUpstream } from './upstream.ts';

const LATENCY_MS = 50;
const DEADLINE_MS = 500;
const OPEN_MS = 2000;
/** Seconds in which the circuit opens: the first calls take their deadline. */
const OPENS_S = 2;

export interface HungFigures {
  /** Seconds after the circuit has opened. */
  readonly seconds: number;
  /** Requests that reached the hung carrier in them. */
  readonly requests: number;
  /** Most requests of one per `openMs`. */
  readonly mostRequests: number;
  /** 99th percentile of searches with the hung carrier, relative to searches of the two others. */
  readonly p99: number;
  /** Searches that waited for their deadline, before the circuit opened and after. */
  readonly lateBefore: number;
  readonly late: number;
}

/**
 * Searches 50 times a second.
 *
 * @param load `slowMotion` multiplies all times but those between searches: what the machine adds to them then counts for less
 */
export async function measureHungCarrier(load: {
  readonly seconds: number;
  readonly slowMotion: number;
}): Promise<HungFigures> {
  const { seconds, slowMotion } = load;
  const [deadlineMs, openMs] = [DEADLINE_MS * slowMotion, OPEN_MS * slowMotion];
  const opensMs = 1000 * OPENS_S * slowMotion;
  const plan = { latency: { kind: 'fixed', ms: LATENCY_MS * slowMotion } } as const;
  await using upstream = await startUpstream({
    first: plan,
    second: plan,
    hung: { ...plan, fault: { kind: 'hang' } },
  });
  const names = ['first', 'second', 'hung'] as const;
  const guards = names.map((name) => createGuard({ name, circuit: { openMs }, retry: {} }));
  const [first, second, hung] = guards;
  await upstream.connect(20);
  const ask = async (guard: typeof first, name: (typeof names)[number]): Promise<void> => {
    const deadline = Date.now() + deadlineMs;
    await guard?.run(({ signal }) => upstream.ask(name, signal), { deadline });
  };
  const searches = { perSecond: 50, seconds: seconds + opensMs / 1000 };
  let before = 0;
  const [all, others] = await Promise.all([
    steadyLoad(searches, async (dueMs) => {
      if (dueMs <= opensMs) before = upstream.arrived('hung');
      await Promise.allSettled([ask(first, 'first'), ask(second, 'second'), ask(hung, 'hung')]);
    }),
    steadyLoad(searches, () => Promise.allSettled([upstream.ask('first'), upstream.ask('second')])),
  ]);
  await Promise.all(guards.map((guard) => guard.close()));
  const opened = (calls: typeof all) => calls.filter(({ dueMs }) => dueMs > opensMs);
  const lateOf = (calls: typeof all) =>
    calls.filter(({ dueMs, endedMs }) => endedMs - dueMs >= deadlineMs).length;
  return {
    seconds,
    requests: upstream.arrived('hung') - before,
    mostRequests: Math.ceil((1000 * seconds) / openMs),
    p99: latencyMs(opened(all), 0.99) / latencyMs(opened(others), 0.99),
    lateBefore: lateOf(all) - lateOf(opened(all)),
    late: lateOf(opened(all)),
  };
}
