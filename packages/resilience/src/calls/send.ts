import type { CallAttempt } from '../guard-record.ts';
import { deposit } from '../state/budget.ts';
import { percentile } from '../state/latencies.ts';
import { takePlace } from '../state/limit.ts';
import { takeToken } from '../state/rate.ts';
import { AttemptView } from './attempt-view.ts';
import { publishHedge, publishRetry } from './published.ts';
import { setDue } from './set-due.ts';

/** Sends an attempt that all parts have let in, in the async context of its caller. */
export function sendInContext(attempt: CallAttempt, now: number): void {
  const { context } = attempt.call;
  if (context === undefined) send(attempt, now);
  else context.runInAsyncScope(send, undefined, attempt, now);
}

/** Sends an attempt that all parts have let in. */
export function send(attempt: CallAttempt, now: number): void {
  const { call } = attempt;
  const { events, limit, rate } = call.guard;
  takeToken(rate, now);
  takePlace(limit);
  attempt.state = 'sent';
  attempt.startedAt = now;
  attempt.pauses = rate.pauses;
  count(attempt, now);
  if (attempt.kind !== 'hedge' && call.hedge === undefined) call.nextAt = hedgeAt(attempt, now);
  setDue(call, now);
  attempt.view = new AttemptView(attempt, call.deadline, call);
  let result: Promise<unknown>;
  try {
    // Of a promise of this realm it is that promise itself.
    result = Promise.resolve(call.fn(attempt.view));
  } catch (error) {
    events.failed(attempt, error);
    return;
  }
  result.then(attempt.onValue, attempt.onError);
}

/** Returns the time at which an attempt that is sent now gets a hedge; Infinity: never. */
function hedgeAt({ call }: CallAttempt, now: number): number {
  const { latencies, options } = call.guard;
  const { hedge } = options;
  if (hedge === undefined || latencies.count < hedge.minSamples) return Number.POSITIVE_INFINITY;
  return now + Math.max(hedge.minMs, percentile(latencies, hedge.afterPercentile));
}

/** Counts an attempt that is sent, and publishes what is not usual. */
function count({ call, kind, number }: CallAttempt, now: number): void {
  const { guard } = call;
  const { counts, budget } = guard;
  switch (kind) {
    case 'first':
      counts.firsts += 1;
      if (budget !== undefined) deposit(budget, now);
      break;
    case 'retry':
      counts.retries += 1;
      publishRetry(guard, number, call.failure, now);
      break;
    case 'hedge':
      counts.hedges += 1;
      publishHedge(guard, number, now - call.main.startedAt);
  }
}
