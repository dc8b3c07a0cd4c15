import { GtfsError } from '../errors.ts';
import type { Feed } from '../feed/feed.ts';
import { daysOf } from '../feed/service-days.ts';
import { dateOf } from '../files/field-values.ts';
import type { LeftOut } from '../files/left-out.ts';
import type { Frequency } from '../reader/read-frequencies.ts';
import type { Services } from '../reader/read-services.ts';
import type { StopTimeRows } from '../reader/read-stop-times.ts';
import type { StopRows } from '../reader/read-stops.ts';
import type { TransferRows } from '../reader/read-transfers.ts';
import type { AgencyRows, RouteRows, TripRows } from '../reader/read-trips.ts';
import { buildChanges } from './build-changes.ts';
import { buildConnections } from './build-connections.ts';
import { buildRuns } from './build-runs.ts';
import { buildStays } from './build-stays.ts';
import { buildStopTimes } from './build-stop-times.ts';

/** Rows of every file. */
export interface FeedRows {
  readonly stops: StopRows;
  readonly agencies: AgencyRows;
  readonly routes: RouteRows;
  readonly services: Services;
  readonly trips: TripRows;
  readonly stopTimes: StopTimeRows;
  readonly frequencies: ReadonlyMap<number, readonly Frequency[]>;
  readonly transfers: TransferRows;
}

/**
 * Makes the columns that a scan reads.
 *
 * @throws GtfsError `ERR_GTFS_EMPTY` when nothing is left that people can ride, `ERR_GTFS_TOO_LARGE`
 */
export function buildFeed(
  rows: FeedRows,
  options: { readonly maxStopTimes: number; readonly changeSeconds: number },
  leftOut: LeftOut,
): Feed {
  const { stops: stopRows, agencies, routes, services, trips: tripRows } = rows;
  const stopTimes = buildStopTimes(rows.stopTimes, tripRows.routes.length, leftOut);
  const runs = buildRuns(stopTimes, rows.frequencies, options.maxStopTimes);
  const days = daysOf(services);
  if (runs.trips.length === 0 || days === undefined) {
    throw new GtfsError(
      'ERR_GTFS_EMPTY',
      `no trip is left that people can ride${reasons(leftOut)}`,
    );
  }
  const zoneOfTrip = (trip: number): number => {
    const route = routes.routes[tripRows.routes[trip] as number];
    return agencies.agencies[route?.agency as number]?.zone as number;
  };
  const stays = buildStays(stopTimes, {
    blocks: tripRows.blocks,
    rules: rows.transfers.stays,
    isFrequent: (trip) => rows.frequencies.has(trip),
    zoneOfTrip,
  });
  const served = new Uint8Array(stopRows.ids.length);
  for (const stop of stopTimes.stops) served[stop] = 1;
  const { rowOf: _, ...stops } = stopRows;
  const { changes, nodes } = buildChanges(stops, {
    isServed: (stop) => served[stop] === 1,
    rules: rows.transfers.changes,
    changeSeconds: options.changeSeconds,
  });
  const { zones } = agencies;
  const connections = buildConnections(runs, stopTimes, { nodes, zones, zoneOfTrip });
  const { firstRows, ...times } = stopTimes;
  const { firstRuns, ...runTable } = runs;
  const trips = {
    routes: Int32Array.from(tripRows.routes),
    services: Int32Array.from(tripRows.services),
    numbers: tripRows.numbers,
    firstRows,
    firstRuns,
    ...stays,
  };
  const { rowOf: __, ...serviceTable } = services;
  const [firstDay, lastDay] = days;
  const tables = {
    trips,
    stopTimes: times,
    runs: runTable,
    services: serviceTable,
    connections,
    changes,
  };
  return {
    ...tables,
    stops: { ...stops, nodes },
    agencies: agencies.agencies,
    routes: routes.routes,
    firstDate: dateOf(firstDay),
    lastDate: dateOf(lastDay),
    leftOut: leftOut.counts(),
    columnBytes: bytesOf([...Object.values(tables), { ...stops, nodes }]),
  };
}

function reasons(leftOut: LeftOut): string {
  const counts = Object.entries(leftOut.counts()).sort(([, a], [, b]) => b - a);
  if (counts.length === 0) return '; check `modes`, `from` and `days`';
  return `; left out: ${counts.map(([reason, rows]) => `${rows} rows of ${reason}`).join(', ')}`;
}

function bytesOf(tables: readonly object[]): number {
  let bytes = 0;
  for (const table of tables) {
    for (const column of Object.values(table)) {
      if (ArrayBuffer.isView(column)) bytes += column.byteLength;
    }
  }
  return bytes;
}
