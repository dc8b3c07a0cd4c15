import { type Entry, idOf } from './entry.ts';
import type { DbRow } from './sources.ts';

/** Points for what makes it likely that somebody means a station. */
export function weigh(
  entry: Entry,
  {
    inGermany,
    isMain,
    isHidden,
  }: {
    readonly inGermany: ReadonlyMap<string, DbRow>;
    readonly isMain: boolean;
    /** Whether the list does not suggest it. */
    readonly isHidden: boolean;
  },
): void {
  const languages = entry.aliases.filter((alias) => !alias.startsWith('=')).length;
  const traffic = inGermany.get(entry.codes.get('ibnr') ?? '')?.weight ?? 0;
  // Sellers of one country, or of services beside the station, are no sign of traffic.
  const systems = [...entry.codes.keys()].filter((name) => name !== 'ds100' && name !== 'iata');
  const points =
    10 +
    7 * Math.min(8, entry.sellers.size) +
    // A station that many systems number is one that trains of many countries call at.
    4 * Math.max(0, Math.min(8, systems.length) - 2) +
    3 * Math.min(12, languages) +
    3 * Math.log2(1 + traffic) +
    (isMain ? 40 : 0) -
    (isHidden ? 10 : 0);
  entry.weight = Math.max(0, Math.round(points));
}

/** A city counts more than each of its stations. */
export function weighGroup(group: Entry): void {
  group.members.sort(
    (one, other) => other.weight - one.weight || (idOf(one) < idOf(other) ? -1 : 1),
  );
  const [first] = group.members;
  group.weight = Math.min(255, (first?.weight ?? 0) + 20 + Math.min(20, group.members.length));
  for (const { sellers } of group.members) for (const seller of sellers) group.sellers.add(seller);
  if (group.latitude === 0)
    Object.assign(group, { latitude: first?.latitude, longitude: first?.longitude });
}
