import type { Agency, Route } from '../feed/feed.ts';
import { isZone } from '../feed/zones.ts';
import { owned } from '../files/field-values.ts';
import { readRows } from '../files/read-rows.ts';
import type { Reading } from '../files/reading.ts';
import { type GtfsMode, modeOf } from './route-modes.ts';

const AGENCY = 'agency.txt';
const ROUTES = 'routes.txt';
const TRIPS = 'trips.txt';
const MAX_NAME = 100;

/** Agencies by id, and the zones in which they count days. */
export interface AgencyRows {
  readonly agencies: readonly Agency[];
  readonly zones: readonly string[];
  readonly rowOf: ReadonlyMap<string, number>;
}

const agencyColumns = {
  required: ['agency_name', 'agency_timezone'],
  optional: ['agency_id'],
};

/** Reads agencies. One in an unknown zone is left out, with its trips: their times cannot be read. */
export async function readAgencies(reading: Reading): Promise<AgencyRows> {
  const agencies: Agency[] = [];
  const zones: string[] = [];
  const rowOf = new Map<string, number>();
  const onRow = ([name = '', zone = '', id = '']: readonly string[]): string | undefined => {
    if (rowOf.has(id)) return 'with the id of another';
    if (!isZone(zone)) return 'in an unknown time zone';
    if (!zones.includes(zone)) zones.push(owned(zone));
    rowOf.set(owned(id), agencies.length);
    const shown = owned((name || id || 'Unknown').slice(0, MAX_NAME));
    agencies.push({ id: owned(id), name: shown, zone: zones.indexOf(zone) });
    return undefined;
  };
  await readRows(reading, AGENCY, { columns: agencyColumns, onRow });
  return { agencies, zones, rowOf };
}

/** Routes by id; `undefined` for one of a mode that is not wanted. */
export interface RouteRows {
  readonly routes: readonly Route[];
  readonly rowOf: ReadonlyMap<string, number | undefined>;
}

const routeColumns = {
  required: ['route_id', 'route_type'],
  optional: ['agency_id', 'route_short_name', 'route_long_name'],
};

/** Reads the routes of these modes. */
export async function readRoutes(
  reading: Reading,
  { agencies, rowOf: agencyOf }: AgencyRows,
  modes: readonly GtfsMode[] | undefined,
): Promise<RouteRows> {
  const routes: Route[] = [];
  const rowOf = new Map<string, number | undefined>();
  const onRow = (values: readonly string[]): string | undefined => {
    const [id = '', type = '', agencyId = '', short = '', long = ''] = values;
    if (id === '') return 'without an id';
    if (rowOf.has(id)) return 'with the id of another';
    // A feed of one agency need not name it.
    const agency =
      agencyOf.get(agencyId) ?? (agencyId === '' && agencies.length === 1 ? 0 : undefined);
    if (agency === undefined) return 'of an unknown agency';
    const mode = modeOf(type);
    if (modes !== undefined && !modes.includes(mode)) {
      rowOf.set(owned(id), undefined);
      return undefined;
    }
    rowOf.set(owned(id), routes.length);
    const brand = owned((short || long).slice(0, MAX_NAME));
    routes.push({
      agency,
      brand: brand === '' ? undefined : brand,
      mode: mode === 'train' ? undefined : mode,
    });
    return undefined;
  };
  await readRows(reading, ROUTES, { columns: routeColumns, onRow });
  return { routes, rowOf };
}

/** Trips as their file has them; `undefined` in `rowOf` for one that is not wanted. */
export interface TripRows {
  readonly rowOf: ReadonlyMap<string, number | undefined>;
  readonly routes: number[];
  readonly services: number[];
  readonly numbers: string[];
  /** Index of the block of each trip, -1 without one. */
  readonly blocks: number[];
}

const tripColumns = {
  required: ['route_id', 'service_id', 'trip_id'],
  optional: ['trip_short_name', 'block_id'],
};

/** Reads the trips of these routes, on the services that `isWanted`. */
export async function readTrips(
  reading: Reading,
  wanted: {
    readonly routes: RouteRows;
    readonly serviceOf: ReadonlyMap<string, number>;
    readonly isWanted: (service: number) => boolean;
  },
): Promise<TripRows> {
  const rowOf = new Map<string, number | undefined>();
  const trips: TripRows = { rowOf, routes: [], services: [], numbers: [], blocks: [] };
  const blockOf = new Map<string, number>();
  const onRow = (values: readonly string[]): string | undefined => {
    const [routeId = '', serviceId = '', id = '', number = '', blockId = ''] = values;
    const service = wanted.serviceOf.get(serviceId);
    if (id === '') return 'without an id';
    if (rowOf.has(id)) return 'with the id of another';
    if (!wanted.routes.rowOf.has(routeId)) return 'of an unknown route';
    if (service === undefined) return 'of an unknown service';
    const route = wanted.routes.rowOf.get(routeId);
    const isKept = route !== undefined && wanted.isWanted(service);
    rowOf.set(owned(id), isKept ? trips.routes.length : undefined);
    if (!isKept) return undefined;
    if (blockId !== '' && !blockOf.has(blockId)) blockOf.set(owned(blockId), blockOf.size);
    trips.routes.push(route);
    trips.services.push(service);
    trips.numbers.push(numberOf(number));
    trips.blocks.push(blockOf.get(blockId) ?? -1);
    return undefined;
  };
  await readRows(reading, TRIPS, { columns: tripColumns, onRow });
  return trips;
}

/** Returns a train number without leading zeros; an empty text for a name that is no number. */
function numberOf(shortName: string): string {
  return /^\d{1,10}$/.test(shortName) ? owned(shortName.replace(/^0+(?=\d)/, '')) : '';
}
