import { addDays, CarrierError, type CarrierQuery, type LocalClock } from '@ticketing/core';
import { readKnown, type TimePage, writeKnown } from './time-pages.ts';

/** Question to a server without cursors: its pages are instants. */
export interface TimeQuestion extends TimePage {
  /** Epoch ms: pages are asked for until there. Absent: one page. */
  readonly untilMs?: number;
}

const TOKEN = /^(departure|arrival) (\d{1,15})(?:~(.*))?$/;
const MINUTE_MS = 60_000;

/**
 * Returns what a query asks for: its page, the journeys from or until its time, or its day; today from now on.
 *
 * @throws CarrierError `BAD_REQUEST` for a token that is none
 */
export function questionOf(
  carrier: string,
  query: CarrierQuery,
  { clock, nowMs }: { readonly clock: LocalClock; readonly nowMs: number },
): TimeQuestion {
  const { date, time, arriveBy, origin, destination, page } = query;
  if (page !== undefined) {
    const question = readToken(page);
    if (question !== undefined) return question;
    throw new CarrierError(
      'BAD_REQUEST',
      `Cannot ask \`${carrier}\`: \`page.token\` is not one of its own`,
    );
  }
  if (time !== undefined) {
    const local = `${date}T${time}`;
    return arriveBy
      ? { direction: 'earlier', by: 'arrival', atMs: clock.epoch(local, destination.zone) }
      : { direction: 'later', by: 'departure', atMs: clock.epoch(local, origin.zone) };
  }
  const startMs = clock.epoch(`${date}T00:00`, origin.zone);
  const untilMs = clock.epoch(`${addDays(date, 1)}T00:00`, origin.zone);
  const isToday = nowMs > startMs && nowMs < untilMs;
  const atMs = isToday ? Math.floor(nowMs / MINUTE_MS) * MINUTE_MS : startMs;
  return { direction: 'later', by: 'departure', atMs, untilMs };
}

/** Returns the token of a page. */
export function tokenOf(page: TimePage): string {
  return `${page.by} ${page.atMs}${writeKnown(page)}`;
}

function readToken({
  token,
  direction,
}: NonNullable<CarrierQuery['page']>): TimeQuestion | undefined {
  const [, by, at, ids] = TOKEN.exec(token) ?? [];
  const known = ids === undefined ? [] : readKnown(ids);
  const atMs = Number(at);
  // The years that clocks can read.
  const isInRange = atMs > Date.UTC(1973, 1) && atMs < Date.UTC(2199, 11);
  if (!isInRange || known === undefined) return undefined;
  return { direction, by: by === 'arrival' ? 'arrival' : 'departure', atMs, known };
}
