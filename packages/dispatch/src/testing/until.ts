const LOOK_AGAIN_MS = 3;
/** A guard against hanging: what uses it is bounded by its own time. */
const LONGEST_MS = 60_000;

/** Resolves when something is so that tells nobody when it is; looks every few milliseconds. @throws Error after a minute unless told */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  longestMs: number = LONGEST_MS,
): Promise<void> {
  for (const end = performance.now() + longestMs; ; ) {
    if (await isSo()) return;
    if (performance.now() > end) {
      throw new Error(`Cannot go on: ${what} expected within ${longestMs} ms, got nothing`);
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
