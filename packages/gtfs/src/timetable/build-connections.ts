import type { ConnectionTable, RunTable, StopTimeTable } from '../feed/feed.ts';

/**
 * Lists the rides from a stop to the next, of each zone by departure. Of equal departures, rides that take no time come first, and rides of
 * one run keep their order: so a scan in either direction meets each connection after all on which it depends.
 */
export function buildConnections(
  runs: RunTable,
  stopTimes: StopTimeTable & { readonly firstRows: Int32Array },
  {
    nodes,
    zones,
    zoneOfTrip,
  }: {
    readonly nodes: Int32Array;
    readonly zones: readonly string[];
    readonly zoneOfTrip: (trip: number) => number;
  },
): ConnectionTable {
  const { firstRows, stops, arrivals, departures } = stopTimes;
  const bucketOf = (row: number, shift: number): number =>
    2 * ((departures[row] as number) + shift) +
    ((arrivals[row + 1] as number) > (departures[row] as number) ? 1 : 0);
  const each = (visit: (run: number, row: number, shift: number, zone: number) => void): void => {
    for (let run = 0; run < runs.trips.length; run++) {
      const trip = runs.trips[run] as number;
      const shift = runs.shifts[run] as number;
      const zone = zoneOfTrip(trip);
      const last = (firstRows[trip + 1] as number) - 1;
      for (let row = firstRows[trip] as number; row < last; row++) visit(run, row, shift, zone);
    }
  };
  let most = 0;
  each((_run, row, shift) => {
    most = Math.max(most, bucketOf(row, shift));
  });
  const buckets = most + 1;
  // Zones are few, and nearly always one.
  const starts = zones.map(() => new Int32Array(buckets));
  each((_run, row, shift, zone) => {
    const counts = starts[zone] as Int32Array;
    const bucket = bucketOf(row, shift);
    counts[bucket] = (counts[bucket] as number) + 1;
  });
  const firstOfZone = new Int32Array(zones.length + 1);
  let length = 0;
  for (const [zone, counts] of starts.entries()) {
    firstOfZone[zone] = length;
    for (let bucket = 0; bucket < buckets; bucket++) {
      const count = counts[bucket] as number;
      counts[bucket] = length;
      length += count;
    }
  }
  firstOfZone[zones.length] = length;
  const table = {
    zones,
    firstOfZone,
    departures: new Int32Array(length),
    arrivals: new Int32Array(length),
    from: new Int32Array(length),
    to: new Int32Array(length),
    runs: new Int32Array(length),
    rows: new Int32Array(length),
  };
  each((run, row, shift, zone) => {
    const counts = starts[zone] as Int32Array;
    const bucket = bucketOf(row, shift);
    const at = counts[bucket] as number;
    counts[bucket] = at + 1;
    table.departures[at] = (departures[row] as number) + shift;
    table.arrivals[at] = (arrivals[row + 1] as number) + shift;
    table.from[at] = nodes[stops[row] as number] as number;
    table.to[at] = nodes[stops[row + 1] as number] as number;
    table.runs[at] = run;
    table.rows[at] = row;
  });
  return table;
}
