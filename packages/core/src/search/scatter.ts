import { setMaxListeners } from 'node:events';
import type { Carrier } from '../carrier.ts';
import { CarrierError } from '../errors.ts';
import type { Journey } from '../model/journey.ts';
import { answeredJourneys } from './answered-journeys.ts';
import type { ResolvedSearchOptions } from './search-options.ts';
import type { ResolvedQuery } from './search-query.ts';
import type { CarrierState, CarrierStatus } from './search-result.ts';

/** Carriers that were asked at once; each one settles exactly once. */
export interface Scatter {
  /** One per carrier, in the order of the carriers; replaced as they settle. */
  readonly statuses: readonly CarrierStatus[];
  /** Settles the running ones as `cancelled`, and aborts them with `reason`. */
  cancel(reason: unknown): void;
}

/** One search, and who follows it. */
export interface ScatterTask {
  readonly query: ResolvedQuery;
  readonly startedAt: number;
  readonly deadlineMs: number;
  /** Called when a carrier settles, never before `scatter` returned. */
  readonly onSettled: (status: CarrierStatus, journeys: readonly Journey[]) => void;
  /** Called once, when all have settled. */
  readonly onDone: () => void;
}

const NO_JOURNEYS: readonly Journey[] = [];
// With these codes a carrier says that the question has no answer, which is an answer and not a failure.
const EMPTY_CODES: ReadonlySet<string> = new Set(['NO_RESULTS', 'NOT_SERVED', 'DATE_OUT_OF_RANGE']);

/** Starts every carrier under one deadline and one signal. A late one is aborted, and its answer ignored. */
export function scatter(options: ResolvedSearchOptions, task: ScatterTask): Scatter {
  const { carriers, now, run, http } = options;
  const { query, startedAt, deadlineMs, onSettled, onDone } = task;
  const deadline = startedAt + deadlineMs;
  const controller = new AbortController();
  // Each carrier listens to it, some with several requests: more than ten listeners are not a leak.
  setMaxListeners(0, controller.signal);
  const statuses: CarrierStatus[] = carriers.map(({ id }) => ({
    carrier: id,
    state: 'running',
    ms: 0,
    found: 0,
  }));
  let running = carriers.length;
  const timer = setTimeout(() => {
    const error = new CarrierError('TIMEOUT', `no answer within ${deadlineMs} ms`);
    endAll('timeout', error, error);
  }, deadlineMs);

  function settle(
    index: number,
    state: CarrierState,
    journeys: readonly Journey[],
    error?: CarrierError,
  ): void {
    const { carrier, state: before } = statuses[index] as CarrierStatus;
    if (before !== 'running') return;
    const status: CarrierStatus = {
      carrier,
      state,
      ms: Math.max(0, now() - startedAt),
      found: journeys.length,
      ...(error ? { error: describe(error) } : {}),
    };
    statuses[index] = status;
    running -= 1;
    // `onSettled` may cancel, which settles others in between: only one of them may be the last.
    const last = running === 0;
    if (last) clearTimeout(timer);
    onSettled(status, journeys);
    if (last) onDone();
  }

  function endAll(state: CarrierState, error: CarrierError, reason: unknown): void {
    if (running === 0) return;
    for (let index = 0; index < carriers.length; index++) settle(index, state, NO_JOURNEYS, error);
    controller.abort(reason);
  }

  function fail(index: number, cause: unknown): void {
    const error = CarrierError.from(cause);
    settle(index, stateOf(error), NO_JOURNEYS, error);
  }

  /** Async also for what throws at once: it fails the carrier, not the search. */
  async function ask(carrier: Carrier): Promise<readonly Journey[]> {
    const context = { signal: controller.signal, deadline, http: http(carrier.id) };
    return answeredJourneys(carrier.id, await run(carrier, query, context));
  }

  carriers.forEach((carrier, index) => {
    ask(carrier).then(
      (journeys) => settle(index, journeys.length > 0 ? 'ok' : 'empty', journeys),
      (cause) => fail(index, cause),
    );
  });

  return {
    statuses,
    cancel: (reason) => endAll('cancelled', new CarrierError('ABORTED', 'the caller left'), reason),
  };
}

function stateOf({ code }: CarrierError): CarrierState {
  if (EMPTY_CODES.has(code)) return 'empty';
  if (code === 'TIMEOUT') return 'timeout';
  return code === 'OVERLOADED' ? 'rejected-busy' : 'error';
}

function describe({ code, retryable, message }: CarrierError): CarrierStatus['error'] & object {
  return { code, retryable, message };
}
