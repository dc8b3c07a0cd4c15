import {
  type CarrierAnswer,
  CarrierError,
  type CarrierQuery,
  type Covered,
  type Journey,
} from '@ticketing/core';
import type { HafasFrame } from './frame.ts';

/** Journeys that one question asks for. */
export type HafasAsk =
  /** Departures from `atMs` until `untilMs`: of a day, or the last ones before an instant that none follows. */
  | {
      readonly kind: 'day' | 'before';
      readonly atMs: number;
      readonly untilMs: number;
      readonly context?: string;
    }
  /** Departures from an instant on, or arrivals until then. */
  | { readonly kind: 'time' | 'arrive-by'; readonly atMs: number; readonly context?: never }
  /** Departures after an instant, or before it, where a page before this one ended; with `arriveBy` arrivals. */
  | { readonly kind: 'later' | 'earlier'; readonly atMs: number; readonly context?: string };

/** A token: the instant that the page begins or ends at, and the server's own context; without one the instant is asked for. */
function writeToken(ms: number, context = ''): string {
  return `${ms}|${context}`;
}

/** Instants that a token may name: of the years 1974 to 2197. */
const [FIRST_MS, LAST_MS] = [1.3e11, 7.1e12];

/** @throws CarrierError `BAD_REQUEST` for a token that is none of ours */
export function readToken(
  carrier: string,
  { direction, token }: NonNullable<CarrierQuery['page']>,
  arriveBy: boolean,
): HafasAsk {
  const bar = token.indexOf('|');
  const [atMs, context] = [Number(token.slice(0, bar)), token.slice(bar + 1)];
  const isInstant = Number.isInteger(atMs) && atMs > FIRST_MS && atMs < LAST_MS;
  const isBefore = direction === 'earlier' && context === '';
  if (bar < 1 || !isInstant || (isBefore && arriveBy)) {
    throw new CarrierError(
      'BAD_REQUEST',
      `Cannot ask \`${carrier}\`: \`page\` is not a page of it`,
    );
  }
  if (isBefore) return { kind: 'before', atMs, untilMs: atMs };
  return { kind: direction, atMs, ...(context !== '' && { context }) };
}

/** Returns each journey once, without those before or after what was asked for: servers answer some. */
export function askedJourneys(
  journeys: readonly Journey[],
  ask: HafasAsk,
  arriveBy = false,
): readonly Journey[] {
  const seen = new Set<string>();
  return journeys.filter(({ id, departure, arrival }) => {
    if (seen.has(id)) return false;
    seen.add(id);
    if (ask.kind === 'arrive-by') return arrival.ms <= ask.atMs;
    if (ask.kind === 'earlier' || ask.context !== undefined) return true;
    if (ask.kind === 'later') return !arriveBy || arrival.ms > ask.atMs;
    return departure.ms >= ask.atMs && !('untilMs' in ask && departure.ms >= ask.untilMs);
  });
}

/** The pages that an answer was read from. */
interface ReadPages {
  readonly first: Pick<HafasFrame, 'earlier'>;
  readonly last: Pick<HafasFrame, 'later'>;
  /** True if the pages reach the end of what was asked for. */
  readonly ended: boolean;
}

/** Returns which departures an answer covers, and where those around it are. */
export function pagesOf(
  ask: HafasAsk,
  journeys: readonly Journey[],
  { first, last, ended }: ReadPages,
  arriveBy = false,
): Pick<CarrierAnswer, 'pages' | 'covers'> {
  const times = journeys.map(({ departure, arrival }) => (arriveBy ? arrival : departure).ms);
  if (times.length === 0 || ask.kind !== 'arrive-by') times.push(ask.atMs);
  const earliest = times.reduce((least, ms) => Math.min(least, ms));
  const latest = times.reduce((most, ms) => Math.max(most, ms));
  const endMs = 'untilMs' in ask && (ended || last.later === undefined) ? ask.untilMs : undefined;
  const later =
    endMs === undefined ? last.later && writeToken(latest, last.later) : writeToken(endMs);
  const earlier = first.earlier && writeToken(earliest, first.earlier);
  const pages = { ...(earlier && { earlier }), ...(later && { later }) };
  if (arriveBy) return { pages, covers: arrivalsCover(ask, earliest) };
  const untilMs = endMs ?? (ask.kind === 'earlier' ? ask.atMs : latest);
  return { pages, covers: { fromMs: earliest, untilMs } };
}

/** A train that leaves after the first arrival of a page arrives after it, too; one that arrives before its last may have left at any time. */
function arrivalsCover({ kind, atMs }: HafasAsk, earliest: number): Covered {
  return { fromMs: kind === 'later' ? atMs : Math.min(earliest + 1, atMs), untilMs: atMs };
}

/** Returns the answer to a time that nothing leaves after, or arrives before: its page is on the other side. */
export function emptyAnswer({ kind, atMs }: HafasAsk): CarrierAnswer {
  const token = writeToken(atMs);
  return {
    journeys: [],
    covers: { fromMs: atMs, untilMs: atMs },
    pages: kind === 'arrive-by' ? { later: token } : { earlier: token },
  };
}
