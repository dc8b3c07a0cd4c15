import type { Answer } from './answer.ts';
import type { Zone } from './timetable/local-clock.ts';
import type { StationPair } from './timetable/service.ts';
import type { Train } from './timetable/train.ts';

/** What a call brings. */
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
  /** Whether it is the call that answers the search: some faults strike only there. */
  readonly search?: true;
  answer(request: WireRequest): Answer;
}

/** One carrier's way to be asked: its calls, and the faults that only it can put into words. */
export interface Wire {
  readonly calls: readonly WireCall[];
  /** How it tells a client to slow down. */
  throttled(retryAfterSeconds: number): Answer;
  /** The body of a search answer with its first price made no price. */
  malformPrice(body: string): string;
}

/** What a search finds. */
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

/** What a wire asks of the simulator. */
export interface WireContext {
  /** Whom the carriers with a login accept; undefined for anyone. */
  readonly credentials: Credentials | undefined;
  /** Decides the ids of sessions and tokens. */
  readonly seed: string;
  /** Epoch milliseconds. */
  now(): number;
  /** Finds what the carrier sells for a pair and day. */
  find(query: StationPair & { readonly date: string }): Finding;
  /** Lists the carrier's trains, whether the day is on sale or not. */
  trains(query: StationPair & { readonly date: string }): readonly Train[];
  /** How many days a day lies after today on the clocks of a zone. */
  daysAhead(date: string, zone: Zone): number;
}
