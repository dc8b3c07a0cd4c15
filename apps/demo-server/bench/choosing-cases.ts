import { interleaved, median } from '@ticketing/bench-kit';
import type { Dispatcher } from '@ticketing/dispatch';
import { takeSlice } from '@ticketing/dispatch/bench/slices';
import type { Tasks } from './choosing-tasks.ts';

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

/** How late the event loop of this thread was, in milliseconds. */
interface Lateness {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

interface LoopProbe {
  /** Stops it, and gives what it saw. */
  stop(): Lateness;
}

const EVERY_MS = 1;

/**
 * Starts a timer of a millisecond, again and again, and notes how late each is. One that is late by 20 ms stands for all
 * requests that would have come in these 20 ms, so it counts once for each millisecond, with what was left to wait then.
 */
function startLoopProbe(): LoopProbe {
  const late: number[] = [];
  let due = performance.now() + EVERY_MS;
  let timer = setTimeout(tick, EVERY_MS);
  function note(): void {
    for (let ms = performance.now() - due; ms > 0; ms -= EVERY_MS) late.push(ms);
  }
  function tick(): void {
    note();
    due = performance.now() + EVERY_MS;
    timer = setTimeout(tick, EVERY_MS);
  }
  return {
    stop() {
      clearTimeout(timer);
      note();
      const sorted = late.toSorted((a, b) => a - b);
      const at = (share: number): number => sorted[Math.floor(share * sorted.length)] ?? 0;
      return { p50Ms: at(0.5), p99Ms: at(0.99) };
    },
  };
}
