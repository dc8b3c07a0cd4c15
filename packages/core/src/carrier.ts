import type { CarrierId, Journey } from './journey.ts';
import type { ResolvedQuery } from './search-query.ts';

/**
 * One carrier's adapter, in two halves: I/O belongs on the event loop, decoding does not.
 * Implementations hold no state that a search could see; both halves may run in another process.
 */
export interface Carrier<Wire = unknown> {
  readonly id: CarrierId;
  readonly name: string;
  /**
   * Asks the carrier: the only half with sockets. `Wire` holds bytes and survives `structuredClone`.
   *
   * @throws CarrierError
   */
  request(query: ResolvedQuery, context: CarrierContext): Promise<Wire>;
  /**
   * Makes journeys of the bytes: pure, CPU only.
   *
   * @throws CarrierError `PROTOCOL` for bytes that are no answer of this carrier
   */
  normalise(wire: Wire, query: ResolvedQuery): CarrierAnswer;
}

/** What a carrier found. No journeys = it runs none on that day. */
export interface CarrierAnswer {
  readonly journeys: readonly Journey[];
}

/** What a search gives to a carrier's request. */
export interface CarrierContext {
  /** Aborts at the deadline, and when no caller waits for the search. */
  readonly signal: AbortSignal;
  /** Epoch ms; an answer after it is not looked at. */
  readonly deadline: number;
  readonly http: CarrierHttp;
}

/** HTTP as adapters see it: one origin's pool, limits and error mapping are behind it. */
export interface CarrierHttp {
  /**
   * Sends one request and reads the whole answer. Answers of status 200 to 399 resolve; of those from 300
   * on the body may be left unread, and is empty then.
   *
   * @throws CarrierError for everything else
   */
  send(request: CarrierHttpRequest): Promise<CarrierHttpResponse>;
}

/** One request of an adapter. */
export interface CarrierHttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal: AbortSignal;
  /** Epoch ms at which the answer is no longer waited for. */
  readonly deadline: number;
}

/** One whole answer. */
export interface CarrierHttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array<ArrayBuffer>;
  /** Epoch ms at which the body was complete. */
  readonly receivedAt: number;
}
