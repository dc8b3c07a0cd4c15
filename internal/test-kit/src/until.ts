import { readFileSync } from 'node:fs';

const POLL_MS = 3;
/** Ends a test that hangs. */
const LONGEST_MS = 60_000;

/** Polls every few milliseconds until `check()` passes, for state that emits no event. @throws Error after `longestMs`, a minute by default */
export async function until(
  check: () => boolean | Promise<boolean>,
  what = 'the awaited state',
  longestMs: number = LONGEST_MS,
): Promise<void> {
  for (const end = performance.now() + longestMs; ; ) {
    if (await check()) return;
    if (performance.now() > end) {
      throw new Error(`Cannot continue: ${what} did not come within ${longestMs} ms`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Resolves after some turns of the event loop, in which promise jobs, ticks, immediates and socket events run. */
export async function turns(count = 5): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** True for a process that runs. A zombie does not. */
export function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return process.platform !== 'linux';
  }
}

/** Resolves when a process has ended, also one that is no child of ours. @throws Error after `withinMs` */
export function gone(pid: number, withinMs: number): Promise<void> {
  return until(() => !lives(pid), `the end of process ${pid}`, withinMs);
}
