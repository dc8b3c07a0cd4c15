import { type Leg, type RideLeg, ridesOf, type TransferLeg } from '../model/journey.ts';
import { withRisks } from '../model/leg-times.ts';
import { presentFields } from '../model/present-fields.ts';
import { joinRemarks } from '../model/remark.ts';

/** Fields of a ride of which the first carrier that has one counts, whole: two carriers write one platform in two ways. */
const DETAILS = [
  'departurePlatform',
  'arrivalPlatform',
  'stops',
  'booking',
  'sections',
  'otherNumbers',
  'co2Grams',
] as const satisfies readonly (keyof RideLeg)[];

/**
 * Returns the legs of a journey that several carriers list: the first list, whose rides have from the others what they lack. It is
 * the same list if that is nothing.
 */
export function joinLegs(
  legs: readonly Leg[],
  others: readonly (readonly Leg[])[],
): readonly Leg[] {
  if (!others.some((list) => list.some(isTold))) return legs;
  const rides = others.map(ridesOf);
  const risks = risksOf(others);
  let index = -1;
  let isJoined = false;
  let before: RideLeg | undefined;
  const joined = legs.map((leg, at): Leg => {
    if (leg.kind === 'transfer') {
      const after = legs[at + 1];
      const isBetween = before !== undefined && after?.kind === 'ride';
      // Where the expected times are its own, they decide the risk.
      if (leg.risk || !isBetween || hasNews(before as RideLeg) || hasNews(after)) return leg;
      const risk = risks.get(index + 1);
      isJoined ||= risk !== undefined;
      return risk === undefined ? leg : { ...leg, risk };
    }
    index += 1;
    before = leg;
    const own = joinRide(
      leg,
      rides.flatMap((list) => list[index] ?? []),
    );
    isJoined ||= own !== leg;
    return own;
  });
  return isJoined ? withRisks(joined) : legs;
}

/** Returns whether a leg has anything that another may lack. */
function isTold(leg: Leg): boolean {
  if (leg.kind === 'transfer') return leg.risk !== undefined;
  if (leg.remarks !== undefined || hasNews(leg)) return true;
  for (const name of DETAILS) if (leg[name] !== undefined) return true;
  return false;
}

function joinRide(ride: RideLeg, others: readonly RideLeg[]): RideLeg {
  const news = hasNews(ride) ? undefined : others.find(hasNews);
  const details: [string, unknown][] = [];
  for (const name of DETAILS) {
    if (ride[name] !== undefined) continue;
    const value = others.find((other) => other[name] !== undefined)?.[name];
    if (value !== undefined) details.push([name, value]);
  }
  const remarks = joinRemarks([ride.remarks, ...others.map((other) => other.remarks)]);
  if (news === undefined && details.length === 0 && remarks === ride.remarks) return ride;
  const { expectedDeparture, expectedArrival, cancelled } = news ?? ride;
  return {
    ...ride,
    ...presentFields({ expectedDeparture, expectedArrival, cancelled, remarks }),
    ...Object.fromEntries(details),
  };
}

function hasNews({ expectedDeparture, expectedArrival, cancelled }: RideLeg): boolean {
  return expectedDeparture !== undefined || expectedArrival !== undefined || cancelled === true;
}

/** Returns the risk on the way to a ride that the first of these lists has, by the place of the ride. */
function risksOf(lists: readonly (readonly Leg[])[]): ReadonlyMap<number, TransferLeg['risk']> {
  const risks = new Map<number, TransferLeg['risk']>();
  for (const legs of lists) {
    let next = 0;
    for (const leg of legs) {
      if (leg.kind === 'ride') next += 1;
      else if (leg.risk && !risks.has(next)) risks.set(next, leg.risk);
    }
  }
  return risks;
}
