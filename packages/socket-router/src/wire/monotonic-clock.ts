/** Milliseconds of a clock that never jumps and is the same in all processes of a machine, so they can share deadlines. */
export function monotonicMs(): number {
  // Not performance.now(): that one begins anew in each process.
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** Whether more than so many milliseconds have passed since a time on this clock; not, without one. */
export function hasWaited(since: number | undefined, ms: number): boolean {
  return since !== undefined && monotonicMs() - since > ms;
}
