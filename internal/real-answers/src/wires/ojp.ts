import { bytesOf } from './json.ts';
import { minutesOf, type Row } from './stated.ts';

const OPENING = /<(?:[\w.-]+:)?TripResult[\s>]/g;
const CLOSING = /<\/(?:[\w.-]+:)?TripResult\s*>/g;

/** Returns the trips of an answer: one answer for each, with the others cut out of its text. */
export function ojpRows(body: Uint8Array): readonly Row[] {
  const text = new TextDecoder().decode(body);
  const opened = [...text.matchAll(OPENING)].map(({ index }) => index);
  const closed = [...text.matchAll(CLOSING)].map(({ index, 0: { length } }) => index + length);
  const first = opened[0];
  const last = closed.at(-1);
  if (first === undefined || last === undefined || opened.length !== closed.length) return [];
  return opened.map((from, index): Row => {
    const trip = text.slice(from, closed[index]);
    return {
      body: bytesOf(text.slice(0, first) + trip + text.slice(last)),
      stated: {
        // The first one is the trip's; the ones of its legs follow.
        minutes: minutesOf(firstText(trip, DURATION)),
        changes: countOf(firstText(trip, TRANSFERS)),
      },
    };
  });
}

const DURATION = /<(?:[\w.-]{1,20}:)?Duration>([^<]{0,60})</;
const TRANSFERS = /<(?:[\w.-]{1,20}:)?Transfers>([^<]{0,60})</;

/** Returns the text of the first element of a kind that stands before the first leg. */
function firstText(trip: string, element: RegExp): string | undefined {
  const [head = ''] = trip.split(/<(?:[\w.-]+:)?(?:Leg|TripLeg)[\s>]/, 1);
  return element.exec(head)?.[1]?.trim();
}

function countOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}
