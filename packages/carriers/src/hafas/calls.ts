import type { Platform } from '@ticketing/core';
import { type JourneyDecoder, LeftOut, type WirePlace } from '../wire/read-journeys.ts';
import { shownText } from '../wire/shown-text.ts';
import type { WireRecord } from '../wire/wire-reader.ts';
import type { HafasFrame } from './frame.ts';
import type { ResolvedProfile } from './hafas-profile.ts';
import { readTime } from './hafas-time.ts';

/** What decodes one connection. */
export interface ConnectionDecoder {
  readonly row: JourneyDecoder;
  readonly frame: HafasFrame;
  readonly profile: ResolvedProfile;
  /** The day that its times count from, `20261201`. */
  readonly day: string;
  /** Whose clocks show times without an offset: those of the stop, else those of the server. */
  readonly clocks: 'stop' | 'server';
  /** Whether rides have the stations where they call on the way. */
  readonly stops: boolean;
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
  decoder: ConnectionDecoder,
  section: WireRecord,
  sinceMs: number | undefined,
): readonly [from: Call, to: Call] {
  const { read } = decoder.row;
  const dep = read.record(section['dep'], 'dep');
  const arr = read.record(section['arr'], 'arr');
  let [away, home] = [offsetOf(dep, 'dTZOffset'), offsetOf(arr, 'aTZOffset')];
  if (section['type'] === 'WALK' && away !== home) {
    // Servers write 0 at one end of a walk where they do not know the offset.
    if (away === 0) away = home;
    else if (home === 0) home = away;
  }
  const zone = section['type'] === 'JNY' ? undefined : zoneOfWay(decoder, [dep, arr]);
  const from = callOf(decoder, dep, { prefix: 'd', offset: away, sinceMs, zone });
  const since = { sinceMs: from.plannedMs, zone };
  return [from, callOf(decoder, arr, { prefix: 'a', offset: home, ...since })];
}

/** A way is in one zone: that of the end that a table knows. Of an address only that of the server is known. */
function zoneOfWay(
  decoder: ConnectionDecoder,
  ends: readonly [dep: WireRecord, arr: WireRecord],
): string | undefined {
  const zones = ends.map((end) => placeOf(decoder, end).zone);
  return zones.find((zone) => zone !== decoder.profile.zone);
}

function offsetOf(call: WireRecord, name: string): unknown {
  return call[name] ?? undefined;
}

/** Where servers write platforms: as a text, or as an object with a text. */
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
  readonly offset: unknown;
  readonly sinceMs: number | undefined;
  /** Default: that of the place. */
  readonly zone?: string | undefined;
}

/** Reads one end. @throws LeftOut without a planned and an expected time */
export function callOf(
  decoder: ConnectionDecoder,
  call: WireRecord,
  { prefix, offset, sinceMs = Number.NEGATIVE_INFINITY, zone: own }: End,
): Call {
  const { row, profile, day, clocks } = decoder;
  const { read } = row;
  if (offset !== undefined && typeof offset !== 'number') {
    throw read.error('an offset in minutes', offset);
  }
  const expected = `${prefix}TimeR`;
  // A train that runs in addition has no planned time.
  const planned = isGiven(call[`${prefix}TimeS`]) ? `${prefix}TimeS` : expected;
  if (!isGiven(call[planned])) throw new LeftOut(`without \`${prefix}TimeS\``);
  const place = placeOf(decoder, call);
  const stopZone = own ?? place.zone;
  const zone = clocks === 'stop' ? stopZone : profile.zone;
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
    isAmbiguous: offset === undefined && stopZone !== profile.zone,
  };
}

/** Whether a field is there: `null` is absent. */
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
  const index = record[name];
  const entry = typeof index === 'number' && Object.hasOwn(list, index) ? list[index] : undefined;
  if (entry === undefined || entry === null) throw new LeftOut(`without an entry for \`${name}\``);
  return read.record(entry, name);
}

function placeOf(
  { row, frame, profile }: Pick<ConnectionDecoder, 'row' | 'frame' | 'profile'>,
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
    zone: profile.zone,
    ...(x !== undefined && y !== undefined && { latitude: y, longitude: x }),
  };
  if (own === undefined) return row.address(wire);
  const code = own.replace(/^0+(?=.)/, '');
  const uic = row.stationOf(code) === undefined ? uicOf(location) : undefined;
  return uic === undefined
    ? row.station({ extId: code }, 'extId', wire)
    : row.station({ uic }, 'uic', { ...wire, system: 'uic' });
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
  if (!Array.isArray(globalIdL)) return undefined;
  const { id } = Object(globalIdL.find((one) => Object(one).type === 'U')) as { id?: unknown };
  return typeof id === 'string' && /^\d{7}$/.test(id) ? id : undefined;
}
