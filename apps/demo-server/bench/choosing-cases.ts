import { interleaved, median } from '@ticketing/bench-kit';
import type { Dispatcher } from '@ticketing/dispatch';
import { takeSlice } from '@ticketing/dispatch/bench/slices';
import type { Tasks } from './choosing-tasks.ts';
import { startLoopProbe } from './loop-probe.ts';

/** What one dispatcher did in one case: medians of the rounds. */
export interface Outcome {
  readonly perSecond: number;
  /** How late the event loop of the caller was meanwhile. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface ChoiceCase {
  readonly title: string;
  readonly inFlight: number;
  run(dispatcher: Dispatcher<Tasks>): Promise<unknown>;
}

/** Measures dispatchers in interleaved rounds; a longer one first warms up. */
export async function measureChoice(
  dispatchers: readonly Dispatcher<Tasks>[],
  { run, inFlight }: ChoiceCase,
  options: { readonly rounds: number; readonly sliceMs: number },
): Promise<Outcome[]> {
  const taken = dispatchers.map((): Outcome[] => []);
  for (const { item, place, round } of interleaved(dispatchers, options)) {
    const sliceMs = round < 0 ? 2 * options.sliceMs : options.sliceMs;
    globalThis.gc?.();
    const probe = startLoopProbe();
    const { perSecond } = await takeSlice(() => run(item), { inFlight, sliceMs });
    const lateness = probe.stop();
    if (round >= 0) taken[place]?.push({ perSecond, ...lateness });
  }
  return taken.map((outcomes) => ({
    perSecond: median(outcomes.map(({ perSecond }) => perSecond)),
    p50Ms: median(outcomes.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(outcomes.map(({ p99Ms }) => p99Ms)),
  }));
}
