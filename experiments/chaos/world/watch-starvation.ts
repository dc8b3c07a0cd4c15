import type { EventLog } from '../events/event-log.ts';
import { type ProcessFacts, waitedMs } from './processes.ts';

const SAMPLE_MS = 500;
/** Wait that a machine with free cores does not cause. */
const LEAST_MS = 50;

/**
 * Reports when processes were ready to run and had no core. A search that is late by that is late on any server: whether it would
 * have been in time cannot be known.
 */
export function watchStarvation(
  processes: () => readonly ProcessFacts[],
  log: EventLog,
): { end(): void } {
  const before = new Map<number, number>();
  let at = performance.now();
  const timer = setInterval(() => {
    const ofMs = performance.now() - at;
    at += ofMs;
    for (const { pid, part } of processes()) {
      const waited = waitedMs(pid);
      if (waited === undefined) continue;
      const ms = waited - (before.get(pid) ?? waited);
      before.set(pid, waited);
      if (ms < LEAST_MS) continue;
      log.add({
        kind: 'starved',
        part,
        pid,
        ms: Math.round(Math.min(ms, ofMs)),
        ofMs: Math.round(ofMs),
      });
    }
  }, SAMPLE_MS);
  return { end: () => clearInterval(timer) };
}
