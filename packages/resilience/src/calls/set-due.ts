import type { Call } from '../guard-record.ts';
import { hasPlace } from '../state/limit.ts';
import { sendableAt } from '../state/rate.ts';

/** Sets the time of the next thing to do for a call: its end, the end of an attempt or of its wait, a hedge, a retry. */
export function setDue(call: Call, now: number): void {
  const { guard, main, hedge } = call;
  const { waiting } = main;
  let at = Math.min(call.until, call.nextAt);
  if (waiting?.list !== undefined) {
    at = Math.min(at, waiting.until);
    if (guard.line.first === waiting && hasPlace(guard.limit)) {
      at = Math.min(at, sendableAt(guard.rate, 0, now));
    }
  }
  const { attemptTimeoutMs } = guard.options;
  if (attemptTimeoutMs !== undefined) {
    if (main.state === 'sent') at = Math.min(at, main.startedAt + attemptTimeoutMs);
    if (hedge?.state === 'sent') at = Math.min(at, hedge.startedAt + attemptTimeoutMs);
  }
  guard.watch.setDue(call, at);
}
