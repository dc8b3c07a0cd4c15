import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { lives } from '@ticketing/test-kit';

const WITHIN_MS = 2000;

/**
 * Notes what this process holds open now. The result tells, later, what has come since and does not go within two
 * seconds: processes of these numbers that live, handles and requests.
 */
export function whatIsLeft(): (pids: Iterable<number>) => Promise<string[]> {
  // They open at their first use, which is none of the dispatcher's doing.
  void [process.stdout, process.stderr];
  const before = countResources();
  return async (pids) => {
    const deadline = performance.now() + WITHIN_MS;
    for (;;) {
      const left = [...pids].filter(lives).map((pid) => `process ${pid} lives`);
      for (const [kind, count] of countResources()) {
        const more = count - (before.get(kind) ?? 0);
        if (more > 0) left.push(`${more} more ${kind}`);
      }
      if (left.length === 0 || performance.now() > deadline) return left;
      await setTimeout(20);
    }
  };
}

/** Whether a process that this one has started is still there, dead or alive. Where there is no `/proc`, it is believed. */
export function isChild(pid: number): boolean {
  if (process.platform !== 'linux') return true;
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8').includes(`\nPPid:\t${process.pid}\n`);
  } catch {
    return false;
  }
}

function countResources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo())
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}
