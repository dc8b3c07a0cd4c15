import { type CarrierAnswer, CarrierError, type CarrierQuery, type Journey } from '@ticketing/core';
import type { HafasFrame } from './frame.ts';

/** What one question asks for. */
export type HafasAsk =
  /** Departures of a day: from `atMs` until `untilMs`. */
  | {
      readonly kind: 'day';
      readonly atMs: number;
      readonly untilMs: number;
      readonly context?: string;
    }
  /** Departures from an instant on, or arrivals until then. */
  | { readonly kind: 'time' | 'arrive-by'; readonly atMs: number; readonly context?: never }
  /** Departures after an instant, or before it, where a page before this one ended. */
  | { readonly kind: 'later' | 'earlier'; readonly atMs: number; readonly context?: string };

/** A token: the instant that the page begins or ends at, and the server's own context; without one the instant is asked for. */
function writeToken(ms: number, context = ''): string {
  return `${ms}|${context}`;
}

/** The instants that a token may name: those of the years 1974 to 2197. */
const [FIRST_MS, LAST_MS] = [1.3e11, 7.1e12];

/** @throws CarrierError `BAD_REQUEST` for a token that is none of ours */
export function readToken(
  carrier: string,
  { direction, token }: NonNullable<CarrierQuery['page']>,
): HafasAsk {
  const bar = token.indexOf('|');
  const [atMs, context] = [Number(token.slice(0, bar)), token.slice(bar + 1)];
  const isInstant = Number.isInteger(atMs) && atMs > FIRST_MS && atMs < LAST_MS;
  if (bar < 1 || !isInstant || (direction === 'earlier' && context === '')) {
    throw new CarrierError(
      'BAD_REQUEST',
      `Cannot ask \`${carrier}\`: \`page\` is not a page of it`,
    );
  }
  return { kind: direction, atMs, ...(context !== '' && { context }) };
}

/** Returns each journey once, without those before or after what was asked for: servers answer some. */
export function askedJourneys(journeys: readonly Journey[], ask: HafasAsk): readonly Journey[] {
  const seen = new Set<string>();
  return journeys.filter(({ id, departure, arrival }) => {
    if (seen.has(id)) return false;
    seen.add(id);
    if (ask.kind === 'arrive-by') return arrival.ms <= ask.atMs;
    if (ask.kind === 'earlier' || ask.kind === 'later') return true;
    return departure.ms >= ask.atMs && !(ask.kind === 'day' && departure.ms >= ask.untilMs);
  });
}

/** The pages that an answer was read from. */
interface ReadPages {
  readonly first: HafasFrame;
  readonly last: HafasFrame;
  /** Whether they reach the end of the day that was asked for. */
  readonly ended: boolean;
}

/** Returns which departures an answer covers, and where those around it are. */
export function pagesOf(
  ask: HafasAsk,
  journeys: readonly Journey[],
  { first, last, ended }: ReadPages,
): Pick<CarrierAnswer, 'pages' | 'covers'> {
  const departures = journeys.map(({ departure }) => departure.ms);
  if (departures.length === 0 || ask.kind !== 'arrive-by') departures.push(ask.atMs);
  const earliest = departures.reduce((least, ms) => Math.min(least, ms));
  const latest = departures.reduce((most, ms) => Math.max(most, ms));
  const over = ask.kind === 'day' && (ended || last.later === undefined);
  const untilMs = over ? ask.untilMs : ask.kind === 'earlier' ? ask.atMs : latest;
  const later = over ? writeToken(untilMs) : last.later && writeToken(latest, last.later);
  const earlier = first.earlier && writeToken(earliest, first.earlier);
  return {
    covers: { fromMs: earliest, untilMs },
    pages: { ...(earlier && { earlier }), ...(later && { later }) },
  };
}
