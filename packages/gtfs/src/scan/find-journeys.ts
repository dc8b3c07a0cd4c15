import type { LocalClock } from '@ticketing/core';
import type { Feed } from '../feed/feed.ts';
import { bestDepartures } from './best-departures.ts';
import { beginnings, endings } from './ends.ts';
import { openStreams } from './open-streams.ts';
import { buildProfile } from './profile.ts';
import { reachFrom } from './reach.ts';
import { type FoundRide, unroll } from './unroll.ts';

/** Question to a timetable. Nodes are numbered as in the feed's changes. */
export interface TimetableQuestion {
  readonly origins: readonly number[];
  readonly destinations: readonly number[];
  /** Departures from then on, and before. Epoch ms. */
  readonly startMs: number;
  readonly endMs: number;
  /** Longest journey. */
  readonly maxMs: number;
  readonly maxRides: number;
}

/** A journey, with the start of the window from which its streams count. */
export interface FoundJourney {
  readonly startMs: number;
  readonly rides: readonly FoundRide[];
}

/**
 * Returns the journeys that depart within an interval, the earliest first: those than which no other, of the next day too, departs as late,
 * arrives as early and has as few rides. Ways on foot to the first ride, and from the last one, come from the feed.
 */
export function findJourneys(
  feed: Feed,
  question: TimetableQuestion,
  clock: LocalClock,
): readonly FoundJourney[] {
  const { startMs, endMs, maxMs, maxRides } = question;
  if (question.origins.some((node) => question.destinations.includes(node))) return [];
  const origins = beginnings(feed.changes, question.origins);
  const destinations = endings(feed.changes, question.destinations);
  const streams = openStreams(feed, { startMs, endMs: endMs + maxMs }, clock);
  const reach = reachFrom(feed, streams, origins);
  const profile = buildProfile(feed, { streams, reach, destinations, maxRides });
  const secondsToEnd = new Map(destinations.map(({ node, seconds }) => [node, seconds]));
  const scanned = { streams, reach, profile, secondsToEnd };
  const endSeconds = (endMs - startMs) / 1000;
  return bestDepartures(profile, origins, maxRides)
    .filter(({ departure, arrival }) => {
      return departure >= 0 && departure < endSeconds && (arrival - departure) * 1000 <= maxMs;
    })
    .map((best) => ({ startMs, rides: unroll(feed, scanned, best) }));
}
