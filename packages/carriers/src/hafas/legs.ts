import {
  isLocalDate,
  type Leg,
  type RideLeg,
  type StationId,
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
  /** Whether an id is that of a station of the query, which keeps it. */
  isAsked(id: StationId): boolean;
}

/** The legs of a connection. */
export interface ConnectionLegs {
  readonly legs: readonly Leg[];
  /** Whether a time without an offset means another instant on the clocks of the server. */
  readonly isAmbiguous: boolean;
}

/** One end of a section. */
interface Call {
  readonly place: WirePlace;
  readonly plannedMs: number;
  readonly expectedMs: number | undefined;
  readonly cancelled: boolean;
  readonly isAmbiguous: boolean;
}

/** Sections that are no rides. */
const WAYS: ReadonlySet<string> = new Set(['WALK', 'TRSF', 'CHKI', 'DEVI']);

/**
 * Reads the sections of a connection: rides, and the ways between them and at the ends. `CHKI` is the time of a check-in, `DEVI` leads
 * to a station near the one that was asked for, and its times are none of a way.
 *
 * @throws LeftOut for a section of an unknown kind, or one that leaves the way between two rides
 */
export function readLegs(decoder: ConnectionDecoder, connection: WireRecord): ConnectionLegs {
  const { read } = decoder.row;
  const legs: Leg[] = [];
  let sinceMs: number | undefined;
  let isAmbiguous = false;
  let deviates = false;
  for (const each of read.list(connection['secL'], 'secL')) {
    const section = read.record(each, 'secL');
    const kind = read.text(section, 'type');
    if (kind !== 'JNY' && !WAYS.has(kind)) {
      throw new LeftOut(`with a section ${kind.slice(0, 20)}`);
    }
    const before = legs.at(-1);
    // Between two rides the way has all the time, with that of a check-in.
    if (kind === 'CHKI' && before?.kind === 'ride') continue;
    const [from, to] = callsOf(decoder, section, sinceMs);
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
  const from = callOf(decoder, dep, { prefix: 'd', offset: away, sinceMs });
  return [from, callOf(decoder, arr, { prefix: 'a', offset: home, sinceMs: from.plannedMs })];
}

function offsetOf(call: WireRecord, name: string): unknown {
  return call[name] ?? undefined;
}

interface End {
  readonly prefix: 'a' | 'd';
  readonly offset: unknown;
  readonly sinceMs: number | undefined;
}

function callOf(
  decoder: ConnectionDecoder,
  call: WireRecord,
  { prefix, offset, sinceMs = Number.NEGATIVE_INFINITY }: End,
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

/** Returns the entry of a list that a field points to. @throws LeftOut when there is none */
function entryOf(
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
  { row, frame, profile, isAsked }: Omit<ConnectionDecoder, 'day' | 'clocks'>,
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
  if (!Array.isArray(globalIdL)) return undefined;
  const { id } = Object(globalIdL.find((one) => Object(one).type === 'U')) as { id?: unknown };
  return typeof id === 'string' && /^\d{7}$/.test(id) ? id : undefined;
}

function rideOf(decoder: ConnectionDecoder, section: WireRecord, from: Call, to: Call): RideLeg {
  const { row, frame } = decoder;
  const { read, clock } = row;
  const journey = read.record(section['jny'], 'jny');
  const at = (ms: number, place: WirePlace): TimeAt => clock.fromEpoch(ms, place.zone);
  const product = isGiven(journey['prodX'])
    ? entryOf(row, frame.products, journey, 'prodX')
    : undefined;
  const oprX = product?.['oprX'];
  const operator = typeof oprX === 'number' ? frame.operators[oprX] : undefined;
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
