import { type Entry, idOf } from './entry.ts';
import type { DbRow, ListRow } from './sources.ts';

/** Points for what makes it likely that somebody means a station. */
export function weigh(
  entry: Entry,
  inGermany: ReadonlyMap<string, DbRow>,
  row: ListRow | undefined,
): void {
  const languages = entry.aliases.filter((alias) => !alias.startsWith('=')).length;
  const traffic = inGermany.get(entry.codes.get('ibnr') ?? '')?.weight ?? 0;
  const points =
    10 +
    7 * Math.min(8, entry.sellers.size) +
    // A station that many systems number is one that trains of many countries call at.
    4 * Math.max(0, Math.min(8, entry.codes.size) - 2) +
    3 * Math.min(12, languages) +
    3 * Math.log2(1 + traffic) +
    (row?.['is_main_station'] === true ? 40 : 0) -
    (row?.['is_suggestable'] === false ? 10 : 0);
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
