import type { IncomingHttpHeaders } from 'node:http';
import type { Rule } from '@ticketing/kit';
import type { Zone } from '../timetable/local-clock.ts';
import type { CarrierSimId } from '../timetable/sim-carriers.ts';
import type { StationPair } from '../timetable/station-pair.ts';
import type { Train } from '../timetable/train.ts';

/** A whole answer to one call. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Uint8Array;
}

/** Content codings (RFC 9110, 8.4.1) that servers use for clients that take them. */
export type ServerCoding = 'br' | 'gzip';

/** Returns the key of a search, `7160000-7171801 2026-12-01`. */
export function searchKeyOf(query: StationPair & { readonly date: string }): string {
  return `${query.origin}-${query.destination} ${query.date}`;
}

/** Returns an answer in JSON; `headers` may replace its content type. */
export function jsonAnswer(body: unknown, status = 200, headers: Answer['headers'] = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

/** A request as it was sent. */
export interface RawRequest {
  /** Method in upper case. */
  readonly method: string;
  /** Path below the carrier's prefix, as it was sent: `/trains/2026-12-01`, `/` at least. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** The body as text in UTF-8, at most 1 MiB (more is answered 413); empty when there is none. */
  readonly body: string;
  /** Body as bytes. */
  readonly bytes: Uint8Array;
}

/** The request of one call. */
export interface WireRequest extends RawRequest {
  /** Parameters of the call's path. */
  readonly params: Readonly<Record<string, string>>;
  /** The fault of the wire's own that strikes this call, with its options. */
  readonly fault?: {
    readonly kind: string;
    readonly [option: string]: string | number | undefined;
  };
}

/** One call of a wire. */
interface WireCall {
  readonly method: 'GET' | 'POST';
  /** Path below the carrier's prefix; `:name` marks a parameter, `*` at the end any rest. */
  readonly path: string;
  /** True if this call answers the search: some faults strike only there. */
  readonly search?: true;
  /** Returns what a request searches for, by which searches are counted. Default: method, path and body. */
  searchKey?(request: RawRequest): string | undefined;
  answer(request: WireRequest): Answer | Promise<Answer>;
}

/** A carrier's own form of some faults. */
export interface WireFaults {
  /** Returns the answer that tells a client to slow down. */
  throttled(retryAfterSeconds: number, request: RawRequest): Answer;
  /** Returns the body of a search answer with a first price that is not a price. Absent: the wire has no prices. */
  malformPrice?(body: string): string;
}

/** One carrier's protocol: its calls, and its own form of some faults. */
export interface Wire extends WireFaults {
  readonly calls: readonly WireCall[];
  /** Answers every other call below the prefix. Default: 404 of the server. */
  otherCalls?(request: WireRequest): Answer;
}

/** Rules of the options that a fault has beside `share`. */
export type FaultOptions = Readonly<Record<string, Rule>>;

/** Options of a fault that has none beside `share`. */
export type NoOptions = Readonly<Record<never, Rule>>;

/** A wire in the registry: how to create it, and what plans may ask of it. */
export interface WireEntry<
  Faults extends Readonly<Record<string, FaultOptions>> = Record<never, never>,
> {
  create(context: WireContext): Wire;
  /** Faults of this wire alone, by kind; they strike searches, and reach `answer` as `request.fault`. */
  readonly faults?: Faults;
  /** Coding that the server prefers for clients that accept compressed answers. Default `gzip`. */
  readonly coding?: ServerCoding;
  /** True if the wire answers in pages, so that plans may set `pageSize`. */
  readonly pages?: true;
}

/** The result of a search. */
export type Finding =
  | { readonly kind: 'trains'; readonly trains: readonly Train[] }
  | { readonly kind: 'not-served' }
  | { readonly kind: 'date-not-on-sale' };

/** Days ahead on which trains are on sale. */
export const maxDaysAhead = 180;

/** Credentials that a login accepts. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Journeys on one side of an instant. */
export interface AroundQuery extends StationPair {
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** `later`: journeys that leave (or arrive) at the instant or after it; `earlier`: journeys that leave before it, or arrive by it. */
  readonly direction: 'earlier' | 'later';
  /** End of a journey that is compared. Default `departure`. */
  readonly by?: 'departure' | 'arrival';
  /** Number of the nearest journeys to leave out: an earlier page had them. Default 0. */
  readonly skip?: number;
  /** Most journeys, the nearest to the instant. */
  readonly limit: number;
  /** Leaves out journeys, such as those with a change. */
  accepts?(train: Train): boolean;
}

/** Context that a wire gets from the simulator. */
export interface WireContext {
  /** Several carriers may have one wire. */
  readonly carrier: CarrierSimId;
  /** Credentials that a carrier with a login accepts; `undefined`: any texts that are not empty. */
  readonly credentials: Credentials | undefined;
  /** Decides the ids of sessions and tokens. */
  readonly seed: string;
  /** Epoch milliseconds. */
  now(): number;
  /** Returns what the carrier sells for a pair and day. */
  find(query: StationPair & { readonly date: string }): Finding;
  /** Returns what the carrier sells around an instant, for wires that answer in pages. */
  findAround(query: AroundQuery): Finding;
  /** Returns the most journeys that a page may have: as many as the request wants, or fewer by the plan. */
  pageSize(wanted: number): number;
  /** Returns the carrier's trains, also of a day that is not on sale: the same list as before, while it is kept. */
  trains(query: StationPair & { readonly date: string }): readonly Train[];
  /** Returns how many days a day is after today, on the clocks of a zone. */
  daysAhead(date: string, zone: Zone): number;
}
