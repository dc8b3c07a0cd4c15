import type { Carrier } from '../contract/carrier.ts';
import type { ResolvedQuery } from '../contract/search-query.ts';
import { CarrierError } from '../errors.ts';
import type { Station, StationGroup } from '../stations/station-index.ts';

/** Most stations of a group, and most pairs of stations, that one carrier is asked for. */
export const MAX_PAIRS = 4;

export type StationPair = readonly [origin: Station, destination: Station];

/**
 * Returns the pairs of stations that a carrier is asked for, the most important first: one, unless an end is a
 * group whose own code the carrier does not understand.
 *
 * @throws CarrierError `NOT_SERVED` when the carrier has no code for any station of a group
 */
export function stationPairs(
  carrier: Carrier,
  { origin, destination }: ResolvedQuery,
): readonly StationPair[] {
  if (!('members' in origin) && !('members' in destination)) return [[origin, destination]];
  const origins = stationsFor(carrier, origin);
  const destinations = stationsFor(carrier, destination);
  return origins
    .flatMap((from, first) =>
      destinations.map((to, second) => ({ pair: [from, to] as const, rank: first + second })),
    )
    .filter(({ pair: [from, to] }) => from.id !== to.id)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, MAX_PAIRS)
    .map(({ pair }) => pair);
}

function stationsFor(carrier: Carrier, end: Station | StationGroup): readonly Station[] {
  if (!('members' in end)) return [end];
  const { stationSystem: system = carrier.id, groupCodes } = carrier.capabilities ?? {};
  const { members, ...group } = end;
  if (groupCodes && Object.hasOwn(group.codes, system)) return [group];
  const served = members.filter(({ codes }) => Object.hasOwn(codes, system));
  if (served.length > 0) return served.slice(0, MAX_PAIRS);
  throw new CarrierError(
    'NOT_SERVED',
    `Carrier \`${carrier.id}\` serves no station of ${end.name}`,
  );
}
