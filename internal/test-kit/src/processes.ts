import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** Whether a process runs; one that is dead and not yet waited for by its parent does not. */
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

/** Resolves when a process is gone. There is no event for processes that are not our children, so it is looked for. */
export async function gone(pid: number, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (lives(pid)) {
    if (performance.now() > deadline) throw new Error(`Process ${pid} lives after ${withinMs} ms`);
    await setTimeout(10);
  }
}
