/** Returns milliseconds of a clock that never jumps and is the same in all processes of a machine: they share deadlines. */
export function monotonicMs(): number {
  // performance.now() starts at zero in each process.
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** Returns whether more than `ms` have passed since a time on this clock; false without a time. */
export function hasWaited(since: number | undefined, ms: number): boolean {
  return since !== undefined && monotonicMs() - since > ms;
}

/** Resolves with the promise or after `ms`, whichever is first. Rejects as the promise does. */
export async function withinMs(promise: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise, timeout]);
  clearTimeout(timer);
}
