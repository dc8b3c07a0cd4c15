import type { CarrierAnswer, Journey } from '@ticketing/core';
import { type OjpPage, tokenOf } from './question.ts';
import type { OjpWire } from './request.ts';

const MINUTE_MS = 60_000;

/**
 * Returns the journeys that a question asks for, with tokens for the pages before and after them. The protocol has no cursors: a page
 * ends at an instant, and of journeys that share its last one the server may have kept some back. They are left for the next page,
 * unless the page has no others.
 */
export function windowOf(
  { question, whole }: OjpWire,
  found: readonly Journey[],
): Pick<CarrierAnswer, 'journeys' | 'pages' | 'covers'> {
  const { direction, by, atMs, untilMs } = question;
  const timeOf = (journey: Journey): number => journey[by].ms;
  const isLater = direction === 'later';
  const asked = found.filter((journey) =>
    isLater
      ? timeOf(journey) >= atMs && timeOf(journey) < (untilMs ?? Number.POSITIVE_INFINITY)
      : timeOf(journey) <= atMs,
  );
  const behind: OjpPage = {
    by,
    direction: isLater ? 'earlier' : 'later',
    atMs: isLater ? atMs - 1 : atMs + 1,
  };
  const pages = (ahead: number | undefined) => {
    const next = ahead === undefined ? undefined : tokenOf({ by, atMs: ahead });
    const back = tokenOf(behind);
    const [earlier, later] = isLater ? [back, next] : [next, back];
    return {
      ...(earlier !== undefined && { earlier }),
      ...(later !== undefined && { later }),
    };
  };
  if (untilMs !== undefined && whole) {
    return { journeys: asked, pages: pages(untilMs), covers: { fromMs: atMs, untilMs } };
  }
  const times = asked.map(timeOf);
  if (times.length === 0) {
    return { journeys: [], pages: pages(undefined), covers: { fromMs: atMs, untilMs: atMs } };
  }
  // Not by spreading: an answer may have more journeys than a call may have arguments.
  const border = times.reduce((a, b) => (isLater ? Math.max(a, b) : Math.min(a, b)));
  const inner = asked.filter((journey) => timeOf(journey) !== border);
  const isTied = inner.length === 0;
  const step = isLater ? MINUTE_MS : -1;
  const ahead = isTied ? border + step : border;
  return {
    journeys: isTied ? asked : inner,
    pages: pages(ahead),
    covers: coversOf(question, ahead),
  };
}

/** The departures of which none is missing between the instant of a question and the page after it. */
function coversOf(
  { direction, by, atMs }: OjpPage,
  ahead: number,
): { fromMs: number; untilMs: number } {
  if (direction === 'later') {
    // Who arrives before the page's end may have left at any time before.
    return { fromMs: atMs, untilMs: by === 'departure' ? Math.max(atMs, ahead) : atMs };
  }
  // Who leaves after the page's first arrival arrives after it, too.
  return { fromMs: Math.min(ahead + 1, atMs), untilMs: by === 'departure' ? atMs + 1 : atMs };
}
