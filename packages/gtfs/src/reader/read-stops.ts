import type { StopColumns } from '../feed/feed.ts';
import { isZone } from '../feed/zones.ts';
import { owned } from '../files/field-values.ts';
import { readRows } from '../files/read-rows.ts';
import type { Reading } from '../files/reading.ts';

const FILE = 'stops.txt';
/** Levels above a boarding area: its platform, its station. */
const MAX_PARENTS = 2;
/** Entrances, and nodes of paths: no vehicle calls there. */
const NO_STOPS: readonly string[] = ['2', '3'];
const MAX_NAME = 200;
const MAX_PLATFORM = 50;

/** Stops as their file has them. */
export interface StopRows extends StopColumns {
  readonly rowOf: ReadonlyMap<string, number>;
}

const columns = {
  required: ['stop_id'],
  optional: [
    'stop_name',
    'stop_lat',
    'stop_lon',
    'location_type',
    'parent_station',
    'stop_timezone',
    'platform_code',
    'stop_code',
  ],
};

/** Reads stops, platforms and stations. */
export async function readStops(reading: Reading): Promise<StopRows> {
  const rowOf = new Map<string, number>();
  const ids: string[] = [];
  const codes: string[] = [];
  const names: string[] = [];
  const zones: string[] = [];
  const platforms: string[] = [];
  const parents: string[] = [];
  const latitudes: number[] = [];
  const longitudes: number[] = [];
  const zoneOf = zoneReader();
  const onRow = (values: readonly string[]): string | undefined => {
    const [id = '', name = '', lat = '', lon = '', type = '', parent = '', zone = ''] = values;
    if (NO_STOPS.includes(type)) return undefined;
    if (id === '') return 'without an id';
    if (rowOf.has(id)) return 'with the id of another';
    rowOf.set(owned(id), ids.length);
    ids.push(owned(id));
    names.push(owned(name.slice(0, MAX_NAME)));
    parents.push(owned(parent));
    zones.push(zoneOf(zone));
    platforms.push(owned((values[7] ?? '').slice(0, MAX_PLATFORM)));
    codes.push(owned(values[8] ?? ''));
    latitudes.push(degreesOf(lat, 90));
    longitudes.push(degreesOf(lon, 180));
    return undefined;
  };
  await readRows(reading, FILE, { columns, onRow });
  const stations = stationsOf(parents, rowOf);
  return {
    rowOf,
    ids,
    codes,
    names,
    zones,
    platforms,
    stations,
    latitudes: Float64Array.from(latitudes),
    longitudes: Float64Array.from(longitudes),
  };
}

/** Returns a function that keeps each zone's text once. An unknown zone is none: the agency's counts. */
function zoneReader(): (text: string) => string {
  const known = new Map<string, string>([['', '']]);
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const zone = isZone(text) ? owned(text) : '';
    known.set(owned(text), zone);
    return zone;
  };
}

/** Returns NaN for a text that is no angle: the stop has no place on a map. */
function degreesOf(text: string, most: number): number {
  const degrees = text === '' ? Number.NaN : Number(text);
  return Math.abs(degrees) <= most ? degrees : Number.NaN;
}

function stationsOf(parents: readonly string[], rowOf: ReadonlyMap<string, number>): Int32Array {
  const stations = new Int32Array(parents.length);
  for (let row = 0; row < parents.length; row++) {
    let station = row;
    for (let level = 0; level < MAX_PARENTS; level++) {
      station = rowOf.get(parents[station] as string) ?? station;
    }
    stations[row] = station;
  }
  return stations;
}
