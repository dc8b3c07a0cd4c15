import type { Leg, RideLeg, TimeAt } from '@ticketing/core';
import { type JourneyDecoder, LeftOut, type WirePlace } from '../wire/read-journeys.ts';
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
}

/** One end of a section. */
interface Call {
  readonly place: WirePlace;
  readonly plannedMs: number;
  readonly expectedMs: number | undefined;
  readonly cancelled: boolean;
}

/**
 * Reads the sections of a connection: rides, and the ways between them.
 *
 * @throws LeftOut for a section that ends elsewhere than asked, or of an unknown kind
 */
export function readLegs(decoder: ConnectionDecoder, connection: WireRecord): Leg[] {
  const { read } = decoder.row;
  const legs: Leg[] = [];
  let sinceMs: number | undefined;
  for (const each of read.list(connection['secL'], 'secL')) {
    const section = read.record(each, 'secL');
    const kind = read.text(section, 'type');
    if (kind === 'CHKI') continue;
    if (kind !== 'JNY' && kind !== 'WALK' && kind !== 'TRSF') {
      throw new LeftOut(`with a section ${kind.slice(0, 20)}`);
    }
    const [from, to] = callsOf(decoder, section, sinceMs);
    const before = legs.at(-1);
    if (kind === 'JNY') {
      if (before?.kind === 'ride') legs.push(changeOf(before, from));
      legs.push(rideOf(decoder, section, from, to));
    } else {
      legs.push(wayOf(from.place, to.place, to.plannedMs - from.plannedMs));
    }
    sinceMs = to.plannedMs;
  }
  return legs;
}

function wayOf(from: WirePlace, to: WirePlace, ms: number): Leg {
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
  const minutes = Math.max(0, Math.round((from.plannedMs - before.arrival.ms) / 60_000));
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
  { row, frame, profile, day }: ConnectionDecoder,
  call: WireRecord,
  { prefix, offset, sinceMs = Number.NEGATIVE_INFINITY }: End,
): Call {
  const { read } = row;
  if (offset !== undefined && typeof offset !== 'number') {
    throw read.error('an offset in minutes', offset);
  }
  const timesOf = (name: string): readonly [number, ...number[]] =>
    readTime(row, { day, text: read.text(call, name), offset }, profile.zone);
  const planned = `${prefix}TimeS`;
  if (call[planned] === undefined) throw new LeftOut(`without \`${planned}\``);
  const [first, second] = timesOf(planned);
  // Of the hour that clocks show twice, the time that keeps the order.
  const plannedMs = second !== undefined && first < sinceMs ? second : first;
  const expected = `${prefix}TimeR`;
  return {
    place: placeOf({ row, frame, profile }, call),
    plannedMs,
    expectedMs: call[expected] === undefined ? undefined : nearest(timesOf(expected), plannedMs),
    cancelled: call[`${prefix}Cncl`] === true,
  };
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
  { row, frame, profile }: Pick<ConnectionDecoder, 'row' | 'frame' | 'profile'>,
  call: WireRecord,
): WirePlace {
  const location = entryOf(row, frame.locations, call, 'locX');
  const { lid, extId, name, crd } = location;
  const parts = typeof lid === 'string' ? lid.split('@') : [];
  const part = (letter: string): string | undefined =>
    parts.find((one) => one.startsWith(`${letter}=`))?.slice(2);
  const code = typeof extId === 'string' && extId !== '' ? extId : part('L');
  const { x, y } = Object(crd) as { x?: unknown; y?: unknown };
  const isPosition = Number.isFinite(x) && Number.isFinite(y);
  return row.station({ extId: code?.replace(/^0+(?=.)/, '') }, 'extId', {
    name: name ?? part('O'),
    zone: profile.zone,
    ...(isPosition && { latitude: Number(y) / 1e6, longitude: Number(x) / 1e6 }),
  });
}

function rideOf(decoder: ConnectionDecoder, section: WireRecord, from: Call, to: Call): RideLeg {
  const { row, frame } = decoder;
  const { read, clock } = row;
  const journey = read.record(section['jny'], 'jny');
  const at = (ms: number, place: WirePlace): TimeAt => clock.fromEpoch(ms, place.zone);
  const product =
    journey['prodX'] === undefined ? {} : entryOf(row, frame.products, journey, 'prodX');
  const { oprX } = product;
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
    ...nameOf(decoder, product),
    ...(operatorName !== undefined && { operator: operatorName }),
  };
}

/** A train has a number and a category, or the short name of its line; anything else the name of its line. */
function nameOf(
  { profile }: ConnectionDecoder,
  product: WireRecord,
): Pick<RideLeg, 'mode' | 'brand' | 'number'> {
  const context = Object(product['prodCtx']) as WireRecord;
  const { cls } = product;
  const bit = typeof cls === 'number' ? String(cls) : '';
  const known = Object.hasOwn(profile.products, bit) ? profile.products[bit] : 'other';
  const mode = cls === undefined ? 'train' : (known ?? 'other');
  const kind = mode === 'train' ? textOf(context, 'catOut') : textOf(context, 'line');
  const brand = textOf(product, 'nameS') ?? kind ?? textOf(product, 'name');
  const number = textOf(context, 'num')?.replace(/^0+(?=.)/, '');
  return {
    ...(mode !== 'train' && { mode }),
    ...(brand !== undefined && { brand }),
    ...(mode === 'train' && number !== undefined && /^\d{1,6}$/.test(number) && { number }),
  };
}

/** Returns a text without the spaces that fill it; `undefined` for none. */
function textOf(record: WireRecord, name: string): string | undefined {
  const value = record[name];
  return typeof value === 'string' ? value.trim() || undefined : undefined;
}
