const TICK_MS = 100;
/** Lateness of a timer that a busy event loop does not explain. */
const LATE_MS = 150;

/** Reports when this process was late: then the machine had no time for anybody. */
export function watchLateness(report: (ms: number) => void): { end(): void } {
  let due = performance.now() + TICK_MS;
  const timer = setInterval(() => {
    const late = performance.now() - due;
    if (late > LATE_MS) report(Math.round(late));
    due = performance.now() + TICK_MS;
  }, TICK_MS);
  return { end: () => clearInterval(timer) };
}
