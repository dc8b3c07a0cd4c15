const LOOK_AGAIN_MS = 3;
/** Ends what hangs: a test is bounded by its own time. */
const LONGEST_MS = 60_000;

/** Polls every few milliseconds until `check()` passes, for state that emits no event. @throws Error after a minute unless told */
export async function until(
  check: () => boolean | Promise<boolean>,
  what = 'what is waited for',
  longestMs: number = LONGEST_MS,
): Promise<void> {
  for (const end = performance.now() + longestMs; ; ) {
    if (await check()) return;
    if (performance.now() > end) {
      throw new Error(`Cannot go on: ${what} did not come within ${longestMs} ms`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

/** Lets everything run that is ready to: promise jobs, ticks, immediates, what sockets have brought. */
export async function turns(count = 5): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
