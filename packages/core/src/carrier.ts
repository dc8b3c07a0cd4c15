import type { CarrierId, Journey } from './model/journey.ts';
import type { ResolvedQuery } from './search/search-query.ts';

/**
 * One carrier's adapter, in two halves: I/O belongs on the event loop, decoding does not.
 * It holds no state that a search could see; each half may run in another process.
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
   * Turns the bytes into journeys: pure, CPU only.
   *
   * @throws CarrierError `PROTOCOL` for bytes that are not an answer of this carrier
   */
  normalise(wire: Wire, query: ResolvedQuery): CarrierAnswer;
}

/** What a carrier found. Without journeys, no train runs on that day. */
export interface CarrierAnswer {
  readonly journeys: readonly Journey[];
}

/** What a carrier's request gets besides the query. */
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
   * Sends one request and reads the whole answer. Resolves for status 200 to 399; from 300 on the body may be
   * left unread, and is then empty.
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
