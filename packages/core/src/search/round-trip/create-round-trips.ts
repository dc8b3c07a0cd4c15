import { channel } from 'node:diagnostics_channel';
import { traceChannel } from '@ticketing/kit';
import type { Carrier } from '../../contract/carrier.ts';
import type { CarrierQuery, ResolvedQuery, ReturnLeg } from '../../contract/search-query.ts';
import { CarrierError, RailError } from '../../errors.ts';
import type { LocalClock } from '../../model/local-clock.ts';
import { presentFields } from '../../model/present-fields.ts';
import { conversionOf } from '../../prices/convert-prices.ts';
import { createScatterCalls, type ScatterCall } from '../../scatter/scatter-calls.ts';
import type { CallTrace, ScatterChannels, ScatterFace } from '../../scatter/scatter-face.ts';
import { isComplete } from '../../scatter/source-status.ts';
import { answeredCarrier, answeredReturns } from '../answered-carrier.ts';
import { createCarrierFace } from '../carrier-face.ts';
import { nativeFields } from '../native-fields.ts';
import {
  type ResolvedSearchOptions,
  type RunContext,
  resolveCallOptions,
  type SearchCallOptions,
} from '../search-options.ts';
import type { CarrierStatus } from '../search-result.ts';
import type { SearchTogether } from '../search-together.ts';
import { stationPairs } from '../station-pairs.ts';
import { type FoundPairs, matchPairs } from './match-pairs.ts';
import { bothWays, type RoundTripQuery } from './round-trip-query.ts';
import type { RoundTripResult } from './round-trip-result.ts';

/** Round trips of the carriers of a search. */
export interface RoundTrips {
  roundTrip(query: RoundTripQuery, options?: SearchCallOptions): Promise<RoundTripResult>;
  close(): Promise<void>;
}

/** A question for pairs. */
interface PairsQuery {
  readonly query: ResolvedQuery;
  readonly returns: ReturnLeg;
}

type Ended = PairsQuery & {
  readonly carriers: readonly CarrierStatus[];
  readonly complete: boolean;
  readonly ms: number;
};

/** One question for pairs, as subscribers of `tracing:ticketing:core:pairs:*` see it. */
interface PairsTrace extends CallTrace, PairsQuery {
  /** Unique among all processes. */
  readonly pairsId: string;
  readonly deadlineMs: number;
  ended?: Ended & { readonly aborted: boolean };
}

/** One carrier that is asked for pairs, as subscribers of `tracing:ticketing:core:pairs-carrier:*` see it. */
interface PairsCarrierTrace extends Omit<PairsTrace, 'ended'> {
  readonly carrier: string;
  status?: CarrierStatus;
}

const channels: ScatterChannels = {
  call: /* @__PURE__ */ traceChannel('ticketing:core:pairs'),
  source: /* @__PURE__ */ traceChannel('ticketing:core:pairs-carrier'),
  settled: /* @__PURE__ */ channel('ticketing:core:pairs-carrier-settled'),
  done: /* @__PURE__ */ channel('ticketing:core:pairs-done'),
};

/** Creates the round trips of a search: both ways as searches, and beside them a question for pairs, all under one deadline. */
export function createRoundTrips(
  options: ResolvedSearchOptions,
  { clock, together }: { readonly clock: LocalClock; readonly together: SearchTogether },
): RoundTrips {
  const calls = createScatterCalls(createPairsFace(options, clock));

  /** Asks carriers for pairs. Without a carrier to ask there are none. */
  function askPairs(call: ScatterCall<Carrier, PairsQuery>): Promise<AskedPairs> {
    return new Promise((resolve, reject) => {
      const found: FoundPairs[] = [];
      calls.begin(call, {
        settled(_status, { answer = [] }) {
          found.push(...answer);
        },
        done: ({ carriers, complete, ms }) => resolve({ found, carriers, complete, ms }),
        aborted: reject,
      });
    });
  }

  return {
    async roundTrip(query, own = {}) {
      const { carriers, signal, deadlineMs } = resolveCallOptions(own, options);
      const startedAt = calls.enter();
      const { outbound, inbound, checked } = bothWays(query, startedAt, clock);
      signal?.throwIfAborted();
      const sources = carriers.filter(({ capabilities }) =>
        capabilities?.asks?.includes('returns'),
      );
      const { date, time } = inbound;
      const asked = { query: checked, returns: { date, ...presentFields({ time }) } };
      const [[out, back], pairing] = await Promise.all([
        together([outbound, inbound], own),
        sources.length > 0 && askPairs({ sources, query: asked, startedAt, deadlineMs, signal }),
      ]);
      if (out === undefined || back === undefined) {
        throw new TypeError('Cannot search: a way has no result');
      }
      const isWhole = out.complete && back.complete;
      const ms = Math.max(out.ms, back.ms);
      if (!pairing) return { outbound: out, inbound: back, complete: isWhole, ms };
      const { convert } = conversionOf(options.rates, checked.currency, startedAt) ?? {};
      return {
        outbound: out,
        inbound: back,
        pairs: matchPairs(pairing.found, { outbound: out, inbound: back, convert }),
        pairing: pairing.carriers,
        complete: isWhole && pairing.complete,
        ms: Math.max(ms, pairing.ms),
      };
    },
    close: calls.close,
  };
}

interface AskedPairs extends Pick<Ended, 'carriers' | 'complete' | 'ms'> {
  readonly found: readonly FoundPairs[];
}

/** Returns the face of carriers that are asked for pairs. Errors and messages equal a search's. */
function createPairsFace(
  options: ResolvedSearchOptions,
  clock: LocalClock,
): ScatterFace<Carrier, PairsQuery, readonly FoundPairs[], CarrierStatus, Ended> {
  const { http } = options;
  return {
    ...createCarrierFace(options, clock),
    channels,
    async ask(carrier, query, { signal, deadline, note }) {
      const context = { signal, deadline, http: http(carrier.id), note };
      return askCarrierForPairs(carrier, query, { context, options });
    },
    answered(carrier, ms, answers) {
      const found = answers.reduce((sum, { pairs }) => sum + pairs.length, 0);
      return { carrier, state: found > 0 ? 'ok' : 'empty', ms, found };
    },
    closed: () => new RailError('ERR_CLOSED', 'Cannot search: the search is closed'),
    ended: (query, statuses, ms) => ({
      ...query,
      carriers: statuses,
      complete: isComplete(statuses),
      ms,
    }),
    settled: (query, status) => ({ ...query, status }),
    traceCall: (query, deadlineMs): PairsTrace => ({
      pairsId: crypto.randomUUID(),
      ...query,
      deadlineMs,
    }),
    traceSource(call, carrier): PairsCarrierTrace {
      const { pairsId, query, returns, deadlineMs } = call as PairsTrace;
      return { pairsId, query, returns, deadlineMs, carrier };
    },
  };
}

/**
 * Asks one carrier for pairs, of a group by up to four pairs of stations at the same time.
 *
 * @throws CarrierError `NOT_SERVED` when it serves none of them
 */
async function askCarrierForPairs(
  carrier: Carrier,
  { query, returns }: PairsQuery,
  { context, options }: { readonly context: RunContext; readonly options: ResolvedSearchOptions },
): Promise<readonly FoundPairs[]> {
  const { id, capabilities } = carrier;
  const { run, maxJourneys } = options;
  const fields = nativeFields(query, capabilities);
  const { time: _, ...untimed } = returns;
  const back = capabilities?.native?.includes('time') ? returns : untimed;
  let unserved: unknown;
  const answers = await Promise.all(
    stationPairs(carrier, query).map(async ([origin, destination]) => {
      const asked: CarrierQuery = { ...fields, origin, destination, returns: back };
      try {
        const answer = answeredCarrier(id, await run(carrier, asked, context), maxJourneys);
        const { journeys: inbound, pairs } = answeredReturns(id, answer);
        return { outbound: answer.journeys, inbound, pairs, places: answer.places ?? [] };
      } catch (thrown) {
        if (CarrierError.from(thrown).code !== 'NOT_SERVED') throw thrown;
        unserved = thrown;
        return undefined;
      }
    }),
  );
  const served = answers.filter((answer) => answer !== undefined);
  if (served.length === 0) throw unserved;
  return served;
}
