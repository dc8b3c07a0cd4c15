import type { CarrierErrorCode } from '../errors.ts';
import type { CarrierId, Journey } from '../model/journey.ts';
import type { Place } from '../stations/station-index.ts';
import type { CarrierDay } from './carrier-day.ts';
import type { CarrierReturns } from './carrier-returns.ts';
import type { CarrierQuery } from './search-query.ts';

/**
 * One carrier's adapter, in two halves: I/O belongs on the event loop, decoding does not.
 * It holds no state that a search could see; each half may run in another process.
 */
export interface Carrier<Wire = unknown> {
  readonly id: CarrierId;
  readonly name: string;
  readonly capabilities?: CarrierCapabilities | undefined;
  /**
   * Asks the carrier: the only half with sockets. `Wire` holds bytes and survives `structuredClone`.
   *
   * @throws CarrierError
   */
  request(query: CarrierQuery, context: CarrierContext): Promise<Wire>;
  /**
   * Turns the bytes into journeys: pure, CPU only.
   *
   * @throws CarrierError `PROTOCOL` for bytes that are not an answer of this carrier
   */
  normalise(wire: Wire, query: CarrierQuery): CarrierAnswer;
}

/** Abilities of a carrier. Without them a carrier answers whole days, prices every journey and counts passengers. */
export interface CarrierCapabilities {
  /** `page`: a few journeys around a time, and tokens for those before and after. Default `day`. */
  readonly window?: 'day' | 'page';
  /** Default `all`. */
  readonly prices?: 'all' | 'some' | 'none';
  /** Part of `passengers` that the carrier reads. Default `count`. */
  readonly passengers?: 'count' | 'ages' | 'cards';
  /** System of the station codes that its requests have. Default: the id of the carrier. */
  readonly stationSystem?: string;
  /** True if the carrier understands codes of groups; its answers then name the stations themselves. Default false: members are asked. */
  readonly groupCodes?: boolean;
  /**
   * Fields that the carrier answers itself. Its queries have no other field of these: the search applies them to the answer. `time` and
   * `arriveBy` count with window `page`: a carrier without them is asked for the whole day.
   */
  readonly native?: readonly NativeField[];
  /**
   * Questions beside journeys that the carrier answers: `calendar`, its prices by day (`CarrierQuery.calendarUntil`), and `returns`, offers
   * for both ways together (`CarrierQuery.returns`). Other carriers get no such query. Default none.
   */
  readonly asks?: readonly ('calendar' | 'returns')[];
}

/** A field of a query that some carriers answer themselves. */
export type NativeField = 'time' | 'arriveBy' | 'via' | 'maxTransfers' | 'travelClass' | 'currency';

/** Answer of a carrier to one query. Without journeys, no train runs on that day. */
export interface CarrierAnswer {
  readonly journeys: readonly Journey[];
  /** Stations of the journeys' legs that a table may lack. */
  readonly places?: readonly Place[];
  /** Names of the operators of its legs, by `RideLeg.operator`. An id means one operator for all carriers: codes that are a carrier's own begin with its id and a colon. */
  readonly operators?: Readonly<Record<string, string>>;
  /** Tokens for the journeys before and after these; a carrier without one has no more. */
  readonly pages?: CarrierPages;
  /** The departures that the answer covers, epoch ms. Absent: the whole day; beside `pages`, from the first to the last of the journeys. */
  readonly covers?: Covered;
  /**
   * Reason why the answer ends before the end of the window: a further page failed, or there was no time for it. The journeys before it count,
   * and the search is not complete. Plain data, or a `CarrierError` in the same process.
   */
  readonly failure?: CarrierFailure;
  /** Number of journeys that were left out because the model cannot hold them. */
  readonly filtered?: number;
  /** Numbers of the journeys in `filtered` by the reason, such as `with an unknown station`: few, short reasons. */
  readonly leftOut?: Readonly<Record<string, number>>;
  /** Answer to a query with `calendarUntil`; its `journeys` are empty. A day that is not in it is unknown. */
  readonly calendar?: readonly CarrierDay[];
  /** Answer to a query with `returns`. */
  readonly returns?: CarrierReturns;
}

/** Reason why an answer ends early. */
export interface CarrierFailure {
  readonly code: CarrierErrorCode;
  readonly message: string;
  /** Default: by code. */
  readonly retryable?: boolean | undefined;
  /** Milliseconds that the carrier asked to wait. */
  readonly retryAfterMs?: number | undefined;
}

/** Tokens of one carrier, opaque, for the journeys before and after an answer. */
export interface CarrierPages {
  readonly earlier?: string;
  readonly later?: string;
}

/** An interval of departures, epoch ms. */
export interface Covered {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Context of a carrier's request. */
export interface CarrierContext {
  /** Aborts at the deadline, and when no caller is waiting for the search. */
  readonly signal: AbortSignal;
  /** Epoch ms; an answer after it is ignored. */
  readonly deadline: number;
  readonly http: CarrierHttp;
}

/** HTTP as adapters see it: behind it are one carrier's pools, limits and error mapping. */
export interface CarrierHttp {
  /**
   * Sends one request and reads the whole answer. Resolves for status 200 to 399, and for the statuses of
   * `alsoResolve`; of any other from 300 on the body may be left unread, and is then empty.
   *
   * @throws CarrierError for every other status, and when there is no answer
   */
  send(request: CarrierHttpRequest): Promise<CarrierHttpResponse>;
}

/** One request of an adapter. */
export interface CarrierHttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | undefined;
  readonly signal: AbortSignal;
  /** Epoch ms at which the request ends without an answer. */
  readonly deadline: number;
  /** Statuses from 400 on that resolve like a 200, for carriers whose body has the reason: 64 KiB at most. */
  readonly alsoResolve?: readonly number[] | undefined;
}

/** One whole answer. */
export interface CarrierHttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Decoded: `content-encoding` among the headers is that of what was sent. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Epoch ms at which the body was complete. */
  readonly receivedAt: number;
}
