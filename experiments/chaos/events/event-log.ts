import type { ChaosEvent } from './event.ts';

/** Event without its time, which the log adds. */
export type NewEvent = ChaosEvent extends infer Each
  ? Each extends ChaosEvent
    ? Omit<Each, 'atMs'>
    : never
  : never;

/** Events of a run in order. */
export interface EventLog {
  readonly events: readonly ChaosEvent[];
  add(event: NewEvent): void;
}

/** `nowMs`: milliseconds since the start of the run. */
export function createEventLog(nowMs: () => number): EventLog {
  const events: ChaosEvent[] = [];
  return {
    events,
    add: (event) => void events.push({ atMs: Math.round(nowMs()), ...event } as ChaosEvent),
  };
}
