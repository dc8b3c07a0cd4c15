import { readFileSync } from 'node:fs';

/** Length of the system's clock ticks; 100 a second on every Linux. */
const TICK_MS = 10;

/** Milliseconds of processor that processes have spent, as the system counts them. */
export function cpuMs(pids: readonly number[]): number {
  let ticks = 0;
  for (const pid of pids) {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may have blanks. Fields 14 and 15 of proc(5): in user mode, and in the kernel.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * TICK_MS;
}
