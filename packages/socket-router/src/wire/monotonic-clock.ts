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

/** Waits for a promise, or for so many milliseconds; whichever is first. Rejects as the promise does. */
export async function withinMs(promise: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise, timeout]);
  clearTimeout(timer);
}
