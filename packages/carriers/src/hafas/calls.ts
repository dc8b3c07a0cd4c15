import type { Platform, StationId } from '@ticketing/core';
import { type JourneyDecoder, LeftOut, type WirePlace } from '../wire/read-journeys.ts';
import { shownText } from '../wire/shown-text.ts';
import type { WireRecord } from '../wire/wire-reader.ts';
import type { HafasFrame } from './frame.ts';
import type { ResolvedProfile } from './hafas-profile.ts';
import { readTime } from './hafas-time.ts';
import { indexOf } from './lists.ts';

/** Inputs for decoding one connection. */
export interface ConnectionDecoder {
  readonly row: JourneyDecoder;
  readonly frame: HafasFrame;
  readonly profile: ResolvedProfile;
  /** Day from which times count, `20261201`. */
  readonly day: string;
  /** Clocks that times without an offset are read by: the clocks of the stop, else of the server. */
  readonly clocks: 'stop' | 'server';
  /** True if rides have the stations where they call on the way. */
  readonly stops: boolean;
  /** Returns whether an id is that of a station of the query, which keeps it. */
  isAsked(id: StationId): boolean;
}

/** A decoder, and the zones of places that are near stops which the table has. */
export interface CallDecoder extends ConnectionDecoder {
  /** Zones by indexes in the list of locations. */
  readonly zones: ReadonlyMap<unknown, string>;
}

/** One end of a section. */
export interface Call {
  readonly place: WirePlace;
  readonly plannedMs: number;
  readonly expectedMs: number | undefined;
  readonly cancelled: boolean;
  readonly platform: Platform | undefined;
  readonly isAmbiguous: boolean;
}

/** Reads both ends. `sinceMs`: when the section before it ended. */
export function callsOf(
  decoder: CallDecoder,
  section: WireRecord,
  sinceMs: number | undefined,
): readonly [from: Call, to: Call] {
  const { read } = decoder.row;
  const dep = read.record(section['dep'], 'dep');
  const arr = read.record(section['arr'], 'arr');
  let [away, home] = [read.optionalNumber(dep, 'dTZOffset'), read.optionalNumber(arr, 'aTZOffset')];
  if (section['type'] === 'WALK' && away !== home) {
    // Servers write 0 at one end of a walk where they do not know the offset.
    if (away === 0) away = home;
    else if (home === 0) home = away;
  }
  const from = callOf(decoder, dep, { prefix: 'd', offset: away, sinceMs });
  return [from, callOf(decoder, arr, { prefix: 'a', offset: home, sinceMs: from.plannedMs })];
}

/**
 * Returns the zones of addresses, and of stops that the table lacks, at one end of a way on foot: the zone of the stop at the
 * other end.
 */
export function zonesBeside(
  { row, frame }: ConnectionDecoder,
  sections: readonly WireRecord[],
): ReadonlyMap<unknown, string> {
  const zones = new Map<unknown, string>();
  for (const { type, dep, arr } of sections) {
    if (type === 'JNY') continue;
    const ends = [dep, arr].map((end) => (Object(end) as WireRecord)['locX']);
    const [from, to] = ends.map((at) => zoneOf(row, frame.locations[indexOf(at) ?? -1]));
    if (from === undefined && to !== undefined) zones.set(ends[0], to);
    if (to === undefined && from !== undefined) zones.set(ends[1], from);
  }
  return zones;
}

/** Returns the zone of a location that the table has, by its number or its UIC number. */
function zoneOf(row: JourneyDecoder, location: unknown): string | undefined {
  const { lid, extId, ...rest } = Object(location) as WireRecord;
  const number = extId || /@L=([^@]+)/.exec(typeof lid === 'string' ? lid : '')?.[1];
  const code = typeof number === 'string' ? number.replace(/^0+(?=.)/, '') : undefined;
  const uic = uicOf(rest);
  const station =
    (code !== undefined && row.stationOf(code)) ||
    (uic === undefined ? undefined : row.stationOf(uic, 'uic'));
  return station?.zone;
}

/** Names of the platform fields, by the two forms that servers use: a text, or an object with a text. */
const platformFields = {
  d: { planned: ['dPlatfS', 'dPltfS'], expected: ['dPlatfR', 'dPltfR'] },
  a: { planned: ['aPlatfS', 'aPltfS'], expected: ['aPlatfR', 'aPltfR'] },
} as const;

/** Returns the platform of an arrival (`a`) or of a departure (`d`). */
export function platformOf(call: WireRecord, prefix: 'a' | 'd'): Platform | undefined {
  const fields = platformFields[prefix];
  const planned = platformText(call, fields.planned);
  const expected = platformText(call, fields.expected);
  if (planned === undefined && expected === undefined) return undefined;
  return { ...(planned !== undefined && { planned }), ...(expected !== undefined && { expected }) };
}

function platformText(
  call: WireRecord,
  [text, object]: readonly [text: string, object: string],
): string | undefined {
  const own = shownText(call[text]);
  if (own !== undefined) return own;
  const other = call[object];
  return typeof other === 'object' && other !== null
    ? shownText((other as WireRecord)['txt'])
    : undefined;
}

/** An arrival or a departure of a record. */
export interface End {
  readonly prefix: 'a' | 'd';
  readonly offset: number | undefined;
  readonly sinceMs: number | undefined;
}

/** Reads one end. @throws LeftOut without a planned and an expected time */
export function callOf(
  decoder: CallDecoder,
  call: WireRecord,
  { prefix, offset, sinceMs = Number.NEGATIVE_INFINITY }: End,
): Call {
  const { row, profile, day, clocks } = decoder;
  const { read } = row;
  const expected = `${prefix}TimeR`;
  // A train that runs in addition has no planned time.
  const planned = isGiven(call[`${prefix}TimeS`]) ? `${prefix}TimeS` : expected;
  if (!isGiven(call[planned])) throw new LeftOut(`without \`${prefix}TimeS\``);
  const place = placeOf(decoder, call);
  const zone = clocks === 'stop' ? place.zone : profile.zone;
  const timesOf = (name: string): readonly [number, ...number[]] =>
    readTime(row, { day, text: read.text(call, name), offset }, zone);
  const [first, second] = timesOf(planned);
  // Of the hour that clocks show twice, the time that keeps the order.
  const plannedMs = second !== undefined && first < sinceMs ? second : first;
  return {
    place,
    plannedMs,
    expectedMs: isGiven(call[expected]) ? nearest(timesOf(expected), plannedMs) : undefined,
    cancelled: call[`${prefix}Cncl`] === true,
    platform: platformOf(call, prefix),
    isAmbiguous: offset === undefined && place.zone !== profile.zone,
  };
}

/** Returns whether a field is there: `null` is absent. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function nearest([first, second = first]: readonly [number, ...number[]], ms: number): number {
  return Math.abs(second - ms) < Math.abs(first - ms) ? second : first;
}

/** Returns the entry of a list that a field points to. @throws LeftOut when there is none */
export function entryOf(
  { read }: JourneyDecoder,
  list: readonly unknown[],
  record: WireRecord,
  name: string,
): WireRecord {
  const index = indexOf(record[name]);
  const entry = index !== undefined && Object.hasOwn(list, index) ? list[index] : undefined;
  if (entry === undefined || entry === null) throw new LeftOut(`without an entry for \`${name}\``);
  return read.record(entry, name);
}

function placeOf(
  { row, frame, profile, zones, isAsked }: Omit<CallDecoder, 'day' | 'clocks' | 'stops'>,
  call: WireRecord,
): WirePlace {
  const location = entryOf(row, frame.locations, call, 'locX');
  const { lid, extId, name, crd } = location;
  const parts = typeof lid === 'string' ? lid.split('@') : [];
  const part = (letter: string): string | undefined =>
    parts.find((one) => one.startsWith(`${letter}=`))?.slice(2) || undefined;
  const own = typeof extId === 'string' && extId !== '' ? extId : part('L');
  const [x, y] = positionOf(crd, [part('X'), part('Y')]);
  const wire = {
    name: name ?? part('O'),
    zone: zones.get(call['locX']) ?? profile.zone,
    ...(x !== undefined && y !== undefined && { latitude: y, longitude: x }),
  };
  if (own === undefined) return row.address(wire);
  const code = own.replace(/^0+(?=.)/, '');
  const known = row.stationOf(code);
  // A station with a UIC number needs no other, and a query's keeps its id.
  const isSettled = known !== undefined && (known.codes['uic'] !== undefined || isAsked(known.id));
  const uic = isSettled ? undefined : uicOf(location);
  if (uic === undefined) return row.station({ extId: code }, 'extId', wire);
  if (known === undefined) return row.station({ uic }, 'uic', { ...wire, system: 'uic' });
  // One that the table has by the number alone is another one there, or the same twice: its own row counts.
  if (row.stationOf(uic, 'uic') !== undefined) return row.station({ extId: code }, 'extId', wire);
  const { name: ownName, zone, latitude, longitude } = known;
  return row.station({ uic }, 'uic', { name: ownName, zone, latitude, longitude, system: 'uic' });
}

/** Returns longitude and latitude: of the coordinates, else of the location id, both in millionths of a degree. */
function positionOf(
  crd: unknown,
  parts: readonly [string | undefined, string | undefined],
): readonly [number, number] | readonly [] {
  const { x, y } = Object(crd) as { x?: unknown; y?: unknown };
  const [longitude, latitude] = (
    typeof x === 'number' && typeof y === 'number' ? [x, y] : parts.map(Number)
  ).map((value) => value / 1e6) as [number, number];
  const isPosition = Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90;
  return isPosition && !(longitude === 0 && latitude === 0) ? [longitude, latitude] : [];
}

/** Returns the UIC number among the global ids of a location. */
function uicOf({ globalIdL }: WireRecord): string | undefined {
  const ids = Array.isArray(globalIdL) ? globalIdL : [globalIdL];
  const { id } = Object(ids.find((one) => Object(one).type === 'U')) as { id?: unknown };
  return typeof id === 'string' && /^\d{7}$/.test(id) ? id : undefined;
}
