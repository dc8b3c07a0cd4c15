import {
  isLocalDate,
  type Leg,
  type RideLeg,
  type TimeAt,
  type TransferLeg,
} from '@ticketing/core';
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
}

/** The legs of a connection. */
export interface ConnectionLegs {
  readonly legs: readonly Leg[];
  /** Whether a time without an offset means another instant on the clocks of the server. */
  readonly isAmbiguous: boolean;
}

/** A decoder, and the zones of places that are near stops which the table has. */
interface CallDecoder extends ConnectionDecoder {
  /** By their places in the list of locations. */
  readonly zones: ReadonlyMap<unknown, string>;
}

/** One end of a section. */
interface Call {
  readonly place: WirePlace;
  readonly plannedMs: number;
  readonly expectedMs: number | undefined;
  readonly cancelled: boolean;
  readonly isAmbiguous: boolean;
}

/** Ways by another vehicle: such a connection is no journey here. Any other section that is no ride is a way on foot. */
const VEHICLES: ReadonlySet<string> = new Set(['BIKE', 'CAR', 'KISS', 'PARK', 'TAXI', 'TETA']);

/**
 * Reads the sections of a connection: rides, and the ways between them and at the ends. `CHKI` is the time of a check-in, `DEVI` leads
 * to a station near the one that was asked for, and its times are none of a way.
 *
 * @throws LeftOut for a section by another vehicle, or one that leaves the way between two rides
 */
export function readLegs(decoder: ConnectionDecoder, connection: WireRecord): ConnectionLegs {
  const { read } = decoder.row;
  const legs: Leg[] = [];
  let sinceMs: number | undefined;
  let isAmbiguous = false;
  let deviates = false;
  const sections = read.records(connection['secL'], 'secL');
  const zones = zonesBeside(decoder, sections);
  for (const section of sections) {
    const kind = read.text(section, 'type');
    if (VEHICLES.has(kind)) throw new LeftOut(`with a section ${kind}`);
    const before = legs.at(-1);
    // Between two rides the way has all the time, with that of a check-in.
    if (kind === 'CHKI' && before?.kind === 'ride') continue;
    const [from, to] = callsOf({ ...decoder, zones }, section, sinceMs);
    isAmbiguous ||= from.isAmbiguous || to.isAmbiguous;
    if (kind === 'JNY') {
      if (deviates && legs.some(isRide)) throw new LeftOut('with a section DEVI between rides');
      deviates = false;
      const ride = rideOf(decoder, section, from, to);
      if (before?.kind === 'ride') legs.push(changeOf(before, from));
      legs.push(ride);
      markMissed(legs, section);
    } else {
      deviates ||= kind === 'DEVI';
      const way = wayOf(from.place, to.place, to.plannedMs - from.plannedMs);
      legs.push(kind === 'DEVI' ? { ...way, nearby: true } : way);
    }
    sinceMs = to.plannedMs;
  }
  return { legs, isAmbiguous };
}

/**
 * Returns the zones of addresses, and of stops that the table lacks, to or from which there is a way on foot: those of the stop at
 * its other end.
 */
function zonesBeside(
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

function isRide({ kind }: Leg): boolean {
  return kind === 'ride';
}

/** The server says which ride is not reached as things are; that it is cancelled says more. */
function markMissed(legs: Leg[], section: WireRecord): void {
  const way = legs.at(-2);
  const [after, before] = [
    legs.at(-1),
    legs.findLast((leg, at) => at < legs.length - 2 && isRide(leg)),
  ];
  if (way?.kind !== 'transfer' || before?.kind !== 'ride' || after?.kind !== 'ride') return;
  if (before.cancelled || after.cancelled) return;
  if ((Object(section['jny']) as WireRecord)['isRchbl'] !== false) return;
  legs[legs.length - 2] = { ...way, risk: 'missed' };
}

function wayOf(from: WirePlace, to: WirePlace, ms: number): TransferLeg {
  if (ms < 0) throw new LeftOut('with a walk that ends before it begins');
  return {
    kind: 'transfer',
    origin: from.id,
    destination: to.id,
    minutes: Math.round(ms / 60_000),
  };
}

/** Between two rides without a section between them one has the whole time. */
function changeOf(before: RideLeg, from: Call): Leg {
  const arrivesMs = (before.expectedArrival ?? before.arrival).ms;
  const planned = from.plannedMs - before.arrival.ms;
  const ms = planned < 0 ? (from.expectedMs ?? from.plannedMs) - arrivesMs : planned;
  const minutes = Math.max(0, Math.round(ms / 60_000));
  return { kind: 'transfer', origin: before.destination, destination: from.place.id, minutes };
}

/** Reads both ends. `sinceMs`: when the section before it ended. */
function callsOf(
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

interface End {
  readonly prefix: 'a' | 'd';
  readonly offset: number | undefined;
  readonly sinceMs: number | undefined;
}

function callOf(
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
    isAmbiguous: offset === undefined && place.zone !== profile.zone,
  };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function nearest([first, second = first]: readonly [number, ...number[]], ms: number): number {
  return Math.abs(second - ms) < Math.abs(first - ms) ? second : first;
}

/** A place in a list is a number, also one that is written as a text. */
function indexOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : undefined;
}

/** Returns the entry of a list that a field points to. @throws LeftOut when there is none */
function entryOf(
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
  { row, frame, profile, zones }: Omit<CallDecoder, 'day' | 'clocks'>,
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
  const ids = Array.isArray(globalIdL) ? globalIdL : [globalIdL];
  const { id } = Object(ids.find((one) => Object(one).type === 'U')) as { id?: unknown };
  return typeof id === 'string' && /^\d{7}$/.test(id) ? id : undefined;
}

function rideOf(decoder: ConnectionDecoder, section: WireRecord, from: Call, to: Call): RideLeg {
  const { row, frame } = decoder;
  const { read, clock } = row;
  const journey = read.record(section['jny'] ?? {}, 'jny');
  const at = (ms: number, place: WirePlace): TimeAt => clock.fromEpoch(ms, place.zone);
  const product = isGiven(journey['prodX'])
    ? entryOf(row, frame.products, journey, 'prodX')
    : undefined;
  const operator = frame.operators[indexOf(product?.['oprX']) ?? -1];
  const operatorName = textOf(Object(operator), 'name');
  return {
    kind: 'ride',
    origin: from.place.id,
    destination: to.place.id,
    departure: at(from.plannedMs, from.place),
    arrival: at(to.plannedMs, to.place),
    ...(from.expectedMs !== undefined && { expectedDeparture: at(from.expectedMs, from.place) }),
    ...(to.expectedMs !== undefined && { expectedArrival: at(to.expectedMs, to.place) }),
    ...((journey['isCncl'] === true || from.cancelled || to.cancelled) && { cancelled: true }),
    ...nameOf(decoder, product ?? {}),
    ...(operatorName !== undefined && { operator: operatorName }),
    ...dayOf(journey),
  };
}

/** The day under which the operator runs the train, as eight digits. */
function dayOf({ trainStartDate }: WireRecord): Pick<RideLeg, 'operatingDay'> {
  if (typeof trainStartDate !== 'string' || !/^\d{8}$/.test(trainStartDate)) return {};
  const day = `${trainStartDate.slice(0, 4)}-${trainStartDate.slice(4, 6)}-${trainStartDate.slice(6)}`;
  return isLocalDate(day) ? { operatingDay: day } : {};
}

function nameOf(
  { profile }: ConnectionDecoder,
  product: WireRecord,
): Pick<RideLeg, 'mode' | 'brand' | 'number'> {
  const context = Object(product['prodCtx']) as WireRecord;
  const { cls } = product;
  const bit = typeof cls === 'number' || typeof cls === 'string' ? String(cls) : '';
  const known = Object.hasOwn(profile.products, bit) ? profile.products[bit] : 'other';
  const mode = cls === undefined ? 'train' : (known ?? 'other');
  const number = textOf(context, 'num')?.replace(/^0+(?=.)/, '');
  const isNumber = number !== undefined && /^\d{1,6}$/.test(number);
  const brand =
    mode === 'train'
      ? trainName(product, context, isNumber ? number : undefined)
      : (textOf(product, 'nameS') ?? textOf(context, 'line') ?? textOf(product, 'name'));
  return {
    ...(mode !== 'train' && { mode }),
    ...(brand !== undefined && { brand }),
    ...(mode === 'train' && isNumber && { number }),
  };
}

/**
 * Returns the name of a train: that of its line, `S3`, else its category. Servers write the line as `S3`, or as `3` beside the name
 * `S 3`; and the short name is the line, or category and number as one text, or a code of the operator's kind.
 */
function trainName(
  product: WireRecord,
  context: WireRecord,
  number: string | undefined,
): string | undefined {
  const [line, short, name] = [
    textOf(context, 'line'),
    textOf(product, 'nameS'),
    textOf(product, 'name')?.replace(/\s{2,}/g, ' '),
  ];
  const isNamed = (text: string | undefined): text is string =>
    text !== undefined && /^\p{L}/u.test(text);
  if (line !== undefined) {
    if (isNamed(line)) return line;
    const whole = [short, name].find((text) => isNamed(text) && text.endsWith(line));
    if (whole !== undefined) return whole;
  }
  const [ownShort, ownName] = [short, name].map((text) => withoutNumber(text, number));
  if (isNamed(ownShort) && /\d/.test(ownShort)) return ownShort;
  return textOf(context, 'catOut') ?? ownShort ?? ownName;
}

/** Returns `RJX` of `RJX 60` and of `RJX60`, `undefined` of `60`. */
function withoutNumber(text: string | undefined, number: string | undefined): string | undefined {
  if (text === undefined || number === undefined || !text.endsWith(number)) return text;
  return text.slice(0, -number.length).trimEnd() || undefined;
}

/** Returns a text without the spaces that fill it; `undefined` for none. */
function textOf(record: WireRecord, name: string): string | undefined {
  return shownText(record[name]);
}
