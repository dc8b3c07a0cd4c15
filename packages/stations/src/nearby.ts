import type { Point } from './station-book.ts';
import { PER_DEGREE, type StationTable } from './table/station-table.ts';

/** Mean radius of the earth. */
const EARTH_KM = 6371;
const RADIANS = Math.PI / 180;
const KM_PER_DEGREE = EARTH_KM * RADIANS;
const CELLS_AROUND = 360;

/** Finds rows by place. */
export interface PlaceIndex {
  /** Returns rows within a radius, nearest first; of equals that of the lower number. */
  near(
    point: Point,
    within: { readonly radiusKm: number; readonly limit: number },
  ): readonly { readonly row: number; readonly km: number }[];
}

/** Indexes rows by the degree of latitude and longitude that they are in. */
export function createPlaceIndex(table: StationTable, rows: readonly number[]): PlaceIndex {
  const cells = new Map<number, number[]>();
  for (const row of rows) {
    const cell = cellOf(degrees(table.latitude[row]), degrees(table.longitude[row]));
    const known = cells.get(cell);
    if (known) known.push(row);
    else cells.set(cell, [row]);
  }
  const grid = new Map([...cells].map(([cell, list]) => [cell, Uint32Array.from(list)]));
  return {
    near(point, { radiusKm, limit }) {
      const high = radiusKm / KM_PER_DEGREE;
      const [south, north] = [point.latitude - high, point.latitude + high];
      const nearestPole = Math.min(89.9, Math.max(Math.abs(south), Math.abs(north)));
      const wide = Math.min(180, high / Math.cos(nearestPole * RADIANS));
      const found: { row: number; km: number }[] = [];
      for (let y = Math.floor(south); y <= Math.floor(north); y++) {
        for (
          let x = Math.floor(point.longitude - wide);
          x <= Math.floor(point.longitude + wide);
          x++
        ) {
          for (const row of grid.get(cellOf(y, x)) ?? []) {
            if (Math.abs(degrees(table.latitude[row]) - point.latitude) > high) continue;
            const km = distanceKm(table, row, point);
            if (km <= radiusKm) found.push({ row, km });
          }
        }
      }
      return found.sort((one, other) => one.km - other.km || one.row - other.row).slice(0, limit);
    },
  };
}

/** Returns the great-circle distance of a row to a point. */
export function distanceKm(table: StationTable, row: number, point: Point): number {
  const [one, other] = [degrees(table.latitude[row]) * RADIANS, point.latitude * RADIANS];
  const x = Math.sin(((degrees(table.longitude[row]) - point.longitude) * RADIANS) / 2);
  const y = Math.sin((one - other) / 2);
  const square = y * y + Math.cos(one) * Math.cos(other) * x * x;
  return 2 * EARTH_KM * Math.asin(Math.min(1, Math.sqrt(square)));
}

/** Returns the place of a row. */
export function pointOf(table: StationTable, row: number): Point {
  return { latitude: degrees(table.latitude[row]), longitude: degrees(table.longitude[row]) };
}

function degrees(integer: number | undefined): number {
  return (integer ?? 0) / PER_DEGREE;
}

/** The number of the cell of one degree; longitudes go round. */
function cellOf(latitude: number, longitude: number): number {
  const x = ((Math.floor(longitude) % CELLS_AROUND) + CELLS_AROUND) % CELLS_AROUND;
  return Math.floor(latitude) * CELLS_AROUND + x;
}
