import type { End } from './ends.ts';
import type { Profile } from './profile.ts';
import { NEVER } from './reach.ts';

/** One way to travel: no other leaves as late, arrives as early and has as few rides. Seconds from the start of the window. */
export interface BestDeparture {
  /** Time at which one leaves, on foot if the first connection is at another station. */
  readonly departure: number;
  readonly arrival: number;
  readonly rides: number;
  /** Place in the reach of its first connection. */
  readonly place: number;
}

/** Returns the best departures from some nodes, the earliest first. */
export function bestDepartures(
  profile: Profile,
  origins: readonly End[],
  maxRides: number,
): readonly BestDeparture[] {
  const found: BestDeparture[] = [];
  for (const { node, seconds } of origins) {
    for (let entry = profile.head(node); entry !== 0; entry = profile.next(entry)) {
      const later = profile.next(entry);
      let fewer = NEVER;
      for (let rides = 1; rides <= maxRides; rides++) {
        const arrival = profile.arrival(entry, rides);
        const isOwn = later === 0 || arrival < profile.arrival(later, rides);
        if (arrival < fewer && isOwn) {
          found.push({
            departure: profile.departure(entry) - seconds,
            arrival,
            rides,
            place: profile.place(entry),
          });
        }
        fewer = Math.min(fewer, arrival);
      }
    }
  }
  found.sort((a, b) => b.departure - a.departure || a.rides - b.rides || a.arrival - b.arrival);
  const earliest: number[] = new Array(maxRides + 1).fill(NEVER);
  const best = found.filter(({ arrival, rides }) => {
    if (arrival >= (earliest[rides] as number)) return false;
    for (let more = rides; more <= maxRides; more++) {
      earliest[more] = Math.min(earliest[more] as number, arrival);
    }
    return true;
  });
  return best.reverse();
}
