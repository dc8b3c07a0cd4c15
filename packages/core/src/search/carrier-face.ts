import { channel } from 'node:diagnostics_channel';
import { traceChannel } from '@ticketing/kit';
import type { Carrier } from '../contract/carrier.ts';
import type { ResolvedQuery } from '../contract/search-query.ts';
import { CarrierError, RailError } from '../errors.ts';
import type { CarrierId } from '../model/journey.ts';
import type { LocalClock } from '../model/local-clock.ts';
import { presentFields } from '../model/present-fields.ts';
import type { CallTrace, ScatterChannels, ScatterFace } from '../scatter/scatter-face.ts';
import { isComplete, stateOfCode } from '../scatter/source-status.ts';
import { askCarrier, type CarrierFindings } from './ask-carrier.ts';
import { searchDays } from './resolve-query.ts';
import type { ResolvedSearchOptions } from './search-options.ts';
import type { CarrierStatus, SearchResult } from './search-result.ts';

/** End of a search, without its journeys. */
type EndedSearch = Omit<SearchResult, 'journeys' | 'places' | 'operators' | 'pages' | 'rates'>;

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
  call: /* @__PURE__ */ traceChannel('ticketing:core:search'),
  source: /* @__PURE__ */ traceChannel('ticketing:core:carrier'),
  settled: /* @__PURE__ */ channel('ticketing:core:carrier-settled'),
  done: /* @__PURE__ */ channel('ticketing:core:search-done'),
};

/** Returns the face of carriers: how they are asked, the checks of their journeys, and their errors. */
export function createCarrierFace(
  options: ResolvedSearchOptions,
  clock: LocalClock,
): ScatterFace<Carrier, ResolvedQuery, CarrierFindings, CarrierStatus, EndedSearch> {
  const { carriers, now, run, http, maxJourneys } = options;
  return {
    sources: carriers,
    now,
    channels,
    async ask(carrier, query, { signal, deadline, note }) {
      const context = { signal, deadline, http: http(carrier.id), note };
      return askCarrier(carrier, query, {
        context,
        run,
        clock,
        maxJourneys,
        days: () => searchDays(query, now(), clock),
      });
    },
    running: (carrier) => ({ carrier, state: 'running', ms: 0, found: 0 }),
    answered(carrier, ms, { journeys, filtered, leftOut, covers, ignored, failure }) {
      const found = journeys.length;
      const error = failure && errorOf(failure);
      // Without journeys a failure is all that there is.
      const state = found > 0 ? 'ok' : error ? stateOfCode(error.code) : 'empty';
      const more = { filtered: filtered || undefined, leftOut, covers, ignored, error };
      return { carrier, state, ms, found, ...presentFields(more) };
    },
    failed(carrier, ms, cause, state) {
      const error = errorOf(cause);
      return { carrier, state: state ?? stateOfCode(error.code), ms, found: 0, error };
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

/** Returns an error as a status has it. */
export function errorOf(cause: unknown): NonNullable<CarrierStatus['error']> {
  const { code, retryable, message, retryAfterMs } = CarrierError.from(cause);
  return { code, retryable, message, ...presentFields({ retryAfterMs }) };
}
