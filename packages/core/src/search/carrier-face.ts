import { channel, tracingChannel } from 'node:diagnostics_channel';
import { showValue } from '@ticketing/kit';
import type { Carrier, CarrierAnswer } from '../carrier.ts';
import { CarrierError, RailError } from '../errors.ts';
import type { CarrierId, Journey } from '../model/journey.ts';
import { wrongInJourney } from '../model/wrong-field.ts';
import type { CallTrace, ScatterChannels, ScatterFace } from '../scatter/scatter-face.ts';
import { isComplete, stateOfCode } from '../scatter/source-status.ts';
import type { ResolvedSearchOptions } from './search-options.ts';
import type { ResolvedQuery } from './search-query.ts';
import type { CarrierStatus, SearchResult } from './search-result.ts';

/** How a search ended, without what it found. */
type EndedSearch = Omit<SearchResult, 'journeys'>;

/** One search, as subscribers of `tracing:ticketing:core:search:*` see it. */
interface SearchTrace extends CallTrace {
  /** Unique among all processes. */
  readonly searchId: string;
  readonly query: ResolvedQuery;
  readonly deadlineMs: number;
  ended?: EndedSearch & { readonly aborted: boolean };
}

/** One carrier in one search, as subscribers of `tracing:ticketing:core:carrier:*` see it. */
interface CarrierTrace extends Omit<SearchTrace, 'ended'> {
  readonly carrier: CarrierId;
  status?: CarrierStatus;
}

const channels: ScatterChannels = {
  call: tracingChannel('ticketing:core:search'),
  source: tracingChannel('ticketing:core:carrier'),
  settled: channel('ticketing:core:carrier-settled'),
  done: channel('ticketing:core:search-done'),
};

/** Returns how carriers are asked and what is said of them: journeys that are checked, and errors of carriers. */
export function createCarrierFace(
  options: ResolvedSearchOptions,
): ScatterFace<Carrier, ResolvedQuery, readonly Journey[], CarrierStatus, EndedSearch> {
  const { carriers, now, run, http } = options;
  return {
    sources: carriers,
    now,
    channels,
    async ask(carrier, query, { signal, deadline }) {
      const context = { signal, deadline, http: http(carrier.id) };
      return answeredJourneys(carrier.id, await run(carrier, query, context));
    },
    running: (carrier) => ({ carrier, state: 'running', ms: 0, found: 0 }),
    answered(carrier, ms, journeys) {
      const found = journeys.length;
      return { carrier, state: found > 0 ? 'ok' : 'empty', ms, found };
    },
    failed(carrier, ms, cause, state) {
      const { code, retryable, message } = CarrierError.from(cause);
      const error = { code, retryable, message };
      return { carrier, state: state ?? stateOfCode(code), ms, found: 0, error };
    },
    late: (ms) => new CarrierError('TIMEOUT', `No answer within \`deadlineMs\` (${ms} ms)`),
    left: () => new CarrierError('ABORTED', 'The caller left'),
    closed: () => new RailError('ERR_CLOSED', 'Cannot search: the search is closed'),
    ended: (query, statuses, ms) => ({
      query,
      carriers: statuses,
      complete: isComplete(statuses),
      ms,
    }),
    settled: (query, status) => ({ query, status }),
    traceCall: (query, deadlineMs): SearchTrace => ({
      searchId: crypto.randomUUID(),
      query,
      deadlineMs,
    }),
    traceSource(call, carrier): CarrierTrace {
      const { searchId, query, deadlineMs } = call as SearchTrace;
      return { searchId, query, deadlineMs, carrier };
    },
  };
}

/**
 * Returns the journeys of a carrier's answer, checked so far that merging and sorting can read them: a wrong
 * adapter makes its carrier fail, not the search.
 *
 * @throws TypeError for an answer without journeys, or with one that is not whole; it names the first wrong field
 */
function answeredJourneys(carrier: CarrierId, answer: CarrierAnswer): readonly Journey[] {
  const journeys = (answer as CarrierAnswer | null | undefined)?.journeys;
  if (!Array.isArray(journeys)) {
    throw new TypeError(
      `Carrier \`${carrier}\` answered no journeys: \`journeys\` must be a list, got ${showValue(journeys)}`,
    );
  }
  for (let index = 0; index < journeys.length; index++) {
    const found = wrongInJourney(journeys[index]);
    if (found === undefined) continue;
    const { path, expected, got } = found;
    const journey = `journeys[${index}]`;
    if (path !== '' && got === undefined) {
      throw new TypeError(`Carrier \`${carrier}\` answered \`${journey}\` without \`${path}\``);
    }
    const field = path === '' ? journey : `${journey}.${path}`;
    throw new TypeError(
      `Carrier \`${carrier}\` answered a wrong journey: \`${field}\` must be ${expected}, got ${showValue(got)}`,
    );
  }
  return journeys;
}
