/** How late the event loop of this thread was, in milliseconds. */
export interface Lateness {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface LoopProbe {
  /** Stops it, and gives what it saw. */
  stop(): Lateness;
}

const EVERY_MS = 1;

/**
 * Starts a timer of a millisecond, again and again, and notes how late each is. One that is late by 20 ms stands for all
 * requests that would have come in these 20 ms, so it counts once for each millisecond, with what was left to wait then.
 */
export function startLoopProbe(): LoopProbe {
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
