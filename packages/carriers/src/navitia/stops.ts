import { CarrierError, type Station } from '@ticketing/core';
import { stationCode } from '../stations/station-table.ts';
import { type JourneyDecoder, LeftOut, type WirePlace } from '../wire/read-journeys.ts';
import type { WireRecord } from '../wire/wire-reader.ts';
import { type RegionClock, zoneIn } from './times.ts';

/** Ids of a server's stations: a text before the UIC number with its check digit, or a function. */
export type StopAreas = string | ((station: Station) => string | undefined);

/** Kind of an object, before the first colon of an id. */
const KIND = /^stop_(?:area|point):/;
const NUMBER = /^\d{8}(?!\d)/;

/**
 * Returns a server's id of a station.
 *
 * @throws CarrierError `NOT_SERVED` for a station that the server does not know
 */
export function stopAreaOf(carrier: string, station: Station, stopArea: StopAreas): string {
  if (typeof stopArea === 'string') {
    return `${stopArea}${withCheckDigit(stationCode(carrier, station, 'uic'))}`;
  }
  const id = stopArea(station);
  if (typeof id === 'string' && id !== '') return id;
  throw new CarrierError(
    'NOT_SERVED',
    `Cannot ask \`${carrier}\`: it does not serve ${station.name}`,
  );
}

/** Returns the UIC number in an id of a stop, where ids of the server are known to have it; `undefined` in any other. */
function uicInId(id: unknown, stopArea: StopAreas): string | undefined {
  if (typeof id !== 'string' || typeof stopArea !== 'string') return undefined;
  const prefix = stopArea.replace(KIND, '');
  const rest = id.replace(KIND, '');
  if (rest === id || !rest.startsWith(prefix)) return undefined;
  return withoutCheckDigit(NUMBER.exec(rest.slice(prefix.length))?.[0]);
}

/** Returns a UIC number with its check digit: Luhn's, over the last five digits. */
function withCheckDigit(uic: string): string {
  return `${uic}${checkDigit(uic)}`;
}

/** Returns the UIC number of 7 digits in one of 7 or 8; `undefined` for another text, and for a wrong check digit. */
function withoutCheckDigit(code: unknown): string | undefined {
  if (typeof code !== 'string' || !/^\d{7,8}$/.test(code)) return undefined;
  const uic = code.slice(0, 7);
  return code.length === 7 || code === withCheckDigit(uic) ? uic : undefined;
}

function checkDigit(uic: string): number {
  let sum = 0;
  for (const [index, digit] of [...uic.slice(-5)].entries()) {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return (10 - (sum % 10)) % 10;
}

/** Data of a region that places need. */
export interface PlaceContext {
  readonly region: RegionClock;
  readonly stopArea: StopAreas;
}

/** Types of codes that are UIC numbers. */
const UIC_TYPE = /^uic[78]?$/i;

/**
 * Returns the station of an end of a section, or of a stop on the way: by the UIC number among its codes, or in its id where the ids of
 * the server have it, else a place by its id. An end that is no stop is an address.
 *
 * @throws LeftOut for an end without an id, position and name
 */
export function placeOf(
  decoder: JourneyDecoder,
  end: unknown,
  { region, stopArea }: PlaceContext,
): WirePlace {
  const { read } = decoder;
  if (end === undefined || end === null) throw new LeftOut('without a place');
  const wrapped = read.record(end, 'place');
  const { embedded_type: type } = wrapped;
  const inner = typeof type === 'string' ? wrapped[type] : undefined;
  const isStop = type === undefined || type === 'stop_point' || type === 'stop_area';
  const own = Object(inner ?? wrapped) as WireRecord;
  const area = Object(own['stop_area'] ?? own) as WireRecord;
  const name = own['name'] ?? wrapped['name'];
  const named = { name, zone: zoneIn(area, region), ...(positionOf(own) ?? positionOf(area)) };
  if (!isStop) return decoder.address(named);
  const ids = [area['id'], own['id'], wrapped['id']];
  const uic =
    uicAmong(read.items(area['codes'], 'codes')) ??
    uicAmong(read.items(own['codes'], 'codes')) ??
    ids.map((id) => uicInId(id, stopArea)).find((one) => one !== undefined);
  if (uic !== undefined) return decoder.station({ code: uic }, 'code', named);
  const code = ids.find((id) => typeof id === 'string' && id !== '');
  if (code === undefined) return decoder.address(named);
  return decoder.station({ code }, 'code', { ...named, system: decoder.carrier });
}

function uicAmong(codes: readonly unknown[]): string | undefined {
  for (const one of codes) {
    const { type, value } = Object(one) as WireRecord;
    const uic =
      typeof type === 'string' && UIC_TYPE.test(type) ? withoutCheckDigit(value) : undefined;
    if (uic !== undefined) return uic;
  }
  return undefined;
}

function positionOf({
  coord,
}: WireRecord): { readonly latitude: number; readonly longitude: number } | undefined {
  const { lat, lon } = Object(coord) as WireRecord;
  const [latitude, longitude] = [degrees(lat), degrees(lon)];
  // Stops without a position are at 0, 0.
  const isPlaced = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  return isPlaced && (latitude !== 0 || longitude !== 0) ? { latitude, longitude } : undefined;
}

function degrees(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d{1,3}(?:\.\d{1,20})?$/.test(value)
    ? Number(value)
    : Number.NaN;
}
