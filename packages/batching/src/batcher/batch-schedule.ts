/** Calls back when a batch should go. */
export type BatchSchedule = (dispatch: () => void) => void;

const settled = Promise.resolve();

/**
 * Calls back after the promise jobs of this tick, so that loads issued by promise callbacks come along:
 * ticks queued from inside a promise job run once no job is left. Where there are no ticks, as in a browser,
 * by `setImmediate`, else `setTimeout`, as npm's `dataloader` does.
 */
export const afterPromiseJobs: BatchSchedule = pickSchedule();

function pickSchedule(): BatchSchedule {
  if (typeof process === 'object' && typeof process.nextTick === 'function') {
    return (dispatch) => {
      void settled.then(() => {
        process.nextTick(dispatch);
      });
    };
  }
  return typeof setImmediate === 'function' ? setImmediate : (dispatch) => setTimeout(dispatch);
}

/** The schedule by its name, or the caller's own. */
export function batchScheduleOf(schedule: 'tick' | 'microtask' | BatchSchedule): BatchSchedule {
  if (schedule === 'tick') return afterPromiseJobs;
  return schedule === 'microtask' ? queueMicrotask : schedule;
}
