import type { Zone } from '../timetable/local-clock.ts';
import type { StationPair } from '../timetable/service.ts';
import type { Train } from '../timetable/train.ts';

/** A whole answer to one call. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Uint8Array;
}

/** Returns an answer in JSON. */
export function jsonAnswer(body: unknown, status = 200): Answer {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) };
}

/** The request of one call. */
export interface WireRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly headers: {
    readonly cookie?: string | undefined;
    readonly authorization?: string | undefined;
  };
  /** The body as text; empty when there is none. */
  readonly body: string;
}

/** One call of a wire. */
interface WireCall {
  readonly method: 'GET' | 'POST';
  /** Below the carrier's prefix; `:name` marks a parameter. */
  readonly path: string;
  /** Whether this call answers the search: some faults strike only there. */
  readonly search?: true;
  answer(request: WireRequest): Answer;
}

/** A carrier's own form of some faults. */
export interface WireFaults {
  /** Returns the answer that tells a client to slow down. */
  throttled(retryAfterSeconds: number): Answer;
  /** Returns the body of a search answer with a first price that is not a price. */
  malformPrice(body: string): string;
}

/** One carrier's protocol: its calls, and its own form of some faults. */
export interface Wire extends WireFaults {
  readonly calls: readonly WireCall[];
}

/** The result of a search. */
type Finding =
  | { readonly kind: 'trains'; readonly trains: readonly Train[] }
  | { readonly kind: 'not-served' }
  | { readonly kind: 'date-not-on-sale' };

/** How many days ahead trains are on sale. */
export const maxDaysAhead = 180;

/** What a login accepts. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** What a wire gets from the simulator. */
export interface WireContext {
  /** What a carrier with a login accepts; `undefined`: any texts that are not empty. */
  readonly credentials: Credentials | undefined;
  /** Decides the ids of sessions and tokens. */
  readonly seed: string;
  /** Epoch milliseconds. */
  now(): number;
  /** Returns what the carrier sells for a pair and day. */
  find(query: StationPair & { readonly date: string }): Finding;
  /** Returns the carrier's trains, also of a day that is not on sale. */
  trains(query: StationPair & { readonly date: string }): readonly Train[];
  /** Returns how many days a day is after today, on the clocks of a zone. */
  daysAhead(date: string, zone: Zone): number;
}

/** Creates a map of at most `limit` entries; `add` drops the oldest one above that. */
export function createBoundedMap<V>(limit: number): {
  get(key: string): V | undefined;
  add(key: string, value: V): void;
} {
  const entries = new Map<string, V>();
  return {
    get: (key) => entries.get(key),
    add(key, value) {
      entries.set(key, value);
      const [oldest] = entries.keys();
      if (entries.size > limit && oldest !== undefined) entries.delete(oldest);
    },
  };
}
