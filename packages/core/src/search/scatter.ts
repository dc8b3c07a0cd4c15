import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel';
import { setMaxListeners } from 'node:events';
import type { Carrier } from '../carrier.ts';
import { CarrierError } from '../errors.ts';
import type { CarrierId, Journey } from '../model/journey.ts';
import { answeredJourneys } from './answered-journeys.ts';
import type { ResolvedSearchOptions } from './search-options.ts';
import type { ResolvedQuery } from './search-query.ts';
import type { CarrierState, CarrierStatus, SearchResult } from './search-result.ts';

/** Carriers that were asked at once; each one settles exactly once. */
export interface Scatter {
  /** One per carrier, in the order of the carriers; replaced as they settle. */
  readonly statuses: readonly CarrierStatus[];
  /** Settles the running ones as `cancelled`, and aborts them with `reason`. */
  cancel(reason: unknown): void;
}

/** One search, and who follows it. */
export interface ScatterTask {
  /** Those that are asked, at least one. */
  readonly carriers: readonly Carrier[];
  readonly query: ResolvedQuery;
  readonly startedAt: number;
  readonly deadlineMs: number;
  /** The search as subscribers see it; `undefined` when there are none. */
  readonly trace: SearchTrace | undefined;
  /** Called when a carrier settles, never before `scatter` returned. */
  readonly onSettled: (status: CarrierStatus, journeys: readonly Journey[]) => void;
  /** Called once, when all have settled. */
  readonly onDone: () => void;
}

/** One search, as subscribers of `tracing:ticketing:core:search:*` see it. */
export interface SearchTrace {
  /** Unique among all processes. */
  readonly searchId: string;
  readonly query: ResolvedQuery;
  readonly deadlineMs: number;
  /** Set when it has ended. */
  ended?: Omit<SearchResult, 'journeys'> & { readonly aborted: boolean };
}

/** One carrier in one search, as subscribers of `tracing:ticketing:core:carrier:*` see it. */
interface CarrierTrace extends Pick<SearchTrace, 'searchId' | 'query' | 'deadlineMs'> {
  readonly carrier: CarrierId;
  /** Set when it has settled. A failure is a status too, so nothing is published on `error`. */
  status?: CarrierStatus;
}

/** `start` and `end` around the call, `asyncStart` and `asyncEnd` when the carrier has settled. */
export const carrierChannel: TracingChannel<unknown, CarrierTrace> =
  tracingChannel('ticketing:core:carrier');

const NO_JOURNEYS: readonly Journey[] = [];
// With these codes a carrier says that the question has no answer, which is an answer and not a failure.
const EMPTY_CODES: ReadonlySet<string> = new Set(['NO_RESULTS', 'NOT_SERVED', 'DATE_OUT_OF_RANGE']);

/** Starts every carrier under one deadline and one signal. A late one is aborted, and its answer ignored. */
export function scatter(options: ResolvedSearchOptions, task: ScatterTask): Scatter {
  const { now, run, http } = options;
  const { carriers, query, startedAt, deadlineMs, trace, onSettled, onDone } = task;
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
  const traces: CarrierTrace[] = [];
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
    const traced = traces[index];
    if (traced !== undefined) {
      traced.status = status;
      carrierChannel.asyncStart.publish(traced);
      carrierChannel.asyncEnd.publish(traced);
    }
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

  /** The same, inside the stores that subscribers bind to `start`. */
  function askTraced(
    carrier: Carrier,
    index: number,
    { searchId }: SearchTrace,
  ): Promise<readonly Journey[]> {
    const traced: CarrierTrace = { searchId, query, deadlineMs, carrier: carrier.id };
    traces[index] = traced;
    const asked = carrierChannel.start.runStores(traced, ask, undefined, carrier);
    carrierChannel.end.publish(traced);
    return asked;
  }

  carriers.forEach((carrier, index) => {
    const asked = trace === undefined ? ask(carrier) : askTraced(carrier, index, trace);
    asked.then(
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
