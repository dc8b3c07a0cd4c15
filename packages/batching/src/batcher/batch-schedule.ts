/** Calls back when a batch should be sent. */
export type BatchSchedule = (dispatch: () => void) => void;

/**
 * The platform's function at the time this module is loaded: fake timers of a test replace it, and must not stop batches that need
 * no time. Ticks are read at that time, too.
 */
export const nextMicrotask: typeof queueMicrotask = queueMicrotask;

const settled = Promise.resolve();

/**
 * Calls back after the promise jobs of this tick, so that loads from promise callbacks are in the batch: a tick that is
 * queued inside a promise job runs once no job is left. Without ticks, as in a browser, it uses `setImmediate` or
 * `setTimeout`, as npm's `dataloader` does.
 */
export const afterPromiseJobs: BatchSchedule = pickSchedule();

function pickSchedule(): BatchSchedule {
  if (typeof process === 'object' && typeof process.nextTick === 'function') {
    const { nextTick } = process;
    return (dispatch) => {
      void settled.then(() => {
        nextTick(dispatch);
      });
    };
  }
  return typeof setImmediate === 'function' ? setImmediate : (dispatch) => setTimeout(dispatch);
}

/** Returns the schedule of a name, or the caller's own. */
export function batchScheduleOf(schedule: 'tick' | 'microtask' | BatchSchedule): BatchSchedule {
  if (schedule === 'tick') return afterPromiseJobs;
  return schedule === 'microtask' ? nextMicrotask : schedule;
}
