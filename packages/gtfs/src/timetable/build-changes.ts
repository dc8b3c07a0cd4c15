import { GtfsError } from '../errors.ts';
import type { ChangeTable, StopTable } from '../feed/feed.ts';
import type { ChangeRule } from '../reader/read-transfers.ts';

/** Most changes between platforms: every pair of a station counts, and of stations that rules join. */
const MAX_CHANGES = 4_000_000;
const METRES_PER_SECOND = 1.2;
const EARTH_METRES = 6_371_000;

/** Nodes of a search, and the changes between them. */
export interface Changes {
  readonly changes: ChangeTable;
  readonly nodes: Int32Array;
}

/**
 * Makes nodes of the stops where vehicles call, and lists the changes between them. The platforms of a station are one node, as long as no
 * rule names one of them. Rules for two platforms count before rules for a platform and a station, and these before rules for two stations.
 *
 * @throws GtfsError `ERR_GTFS_TOO_LARGE` for stations that have too many platforms with rules
 */
export function buildChanges(
  stops: Omit<StopTable, 'nodes'>,
  {
    isServed,
    rules,
    changeSeconds,
  }: {
    readonly isServed: (stop: number) => boolean;
    readonly rules: readonly ChangeRule[];
    readonly changeSeconds: number;
  },
): Changes {
  const { stations } = stops;
  const isPlatform = (stop: number): boolean => stations[stop] !== stop;
  const detailed = new Set<number>();
  for (const { from, to } of rules) {
    for (const end of [from, to]) if (isPlatform(end)) detailed.add(stations[end] as number);
  }
  const nodes = new Int32Array(stations.length).fill(-1);
  const nodesOf = new Map<number, number[]>();
  let nodeCount = 0;
  for (let stop = 0; stop < stations.length; stop++) {
    if (!isServed(stop)) continue;
    const station = stations[stop] as number;
    const list = nodesOf.get(station) ?? [];
    nodesOf.set(station, list);
    if (detailed.has(station) || list.length === 0) list.push(nodeCount++);
    nodes[stop] = list.at(-1) as number;
  }

  const seconds = new Map<number, number>();
  let seen = 0;
  const set = (from: readonly number[], to: readonly number[], least: number): void => {
    seen += from.length * to.length;
    if (seen > MAX_CHANGES) {
      const message = `its stations have more than ${MAX_CHANGES} changes between platforms`;
      throw new GtfsError('ERR_GTFS_TOO_LARGE', message, {
        file: 'transfers.txt',
        limit: MAX_CHANGES,
      });
    }
    for (const one of from) for (const other of to) seconds.set(one * nodeCount + other, least);
  };
  for (const list of nodesOf.values()) set(list, list, changeSeconds);
  const endOf = (stop: number): readonly number[] => {
    if (!isPlatform(stop)) return nodesOf.get(stop) ?? [];
    const node = nodes[stop] as number;
    return node < 0 ? [] : [node];
  };
  const levelOf = ({ from, to }: ChangeRule): number =>
    Number(isPlatform(from)) + Number(isPlatform(to));
  for (const rule of [...rules].sort((a, b) => levelOf(a) - levelOf(b))) {
    const { from, to } = rule;
    const isSame = stations[from] === stations[to];
    const least =
      rule.seconds ?? Math.max(changeSeconds, isSame ? 0 : walkSeconds(stops, from, to));
    set(endOf(from), endOf(to), least);
  }
  return { nodes, changes: tableOf(seconds, nodeCount) };
}

/** Returns the seconds of a way as the crow flies, 0 where a stop has no place on a map. */
function walkSeconds(
  { latitudes, longitudes }: Pick<StopTable, 'latitudes' | 'longitudes'>,
  from: number,
  to: number,
): number {
  const point = (stop: number) => ({
    latitude: latitudes[stop] as number,
    longitude: longitudes[stop] as number,
  });
  const metres = metresBetween(point(from), point(to));
  return Number.isNaN(metres) ? 0 : Math.round(metres / METRES_PER_SECOND);
}

/** Returns metres between two points that are near each other, NaN if one has no coordinates. */
function metresBetween(
  a: { readonly latitude: number; readonly longitude: number },
  b: { readonly latitude: number; readonly longitude: number },
): number {
  const radians = Math.PI / 180;
  const east =
    (a.longitude - b.longitude) * radians * Math.cos(((a.latitude + b.latitude) / 2) * radians);
  return EARTH_METRES * Math.hypot((a.latitude - b.latitude) * radians, east);
}

function tableOf(seconds: ReadonlyMap<number, number>, nodeCount: number): ChangeTable {
  const possible = [...seconds].filter(([, least]) => least >= 0).sort(([a], [b]) => a - b);
  const first = new Int32Array(nodeCount + 1);
  const to = new Int32Array(possible.length);
  const times = new Int32Array(possible.length);
  for (const [at, [key, least]] of possible.entries()) {
    const from = Math.floor(key / nodeCount);
    first[from + 1] = at + 1;
    to[at] = key % nodeCount;
    times[at] = least;
  }
  // Nodes without a change end where the one before them does.
  for (let node = 0; node < nodeCount; node++) {
    first[node + 1] = Math.max(first[node + 1] as number, first[node] as number);
  }
  return { nodeCount, first, to, seconds: times };
}
