import {
  createJourney,
  isLocalDate,
  type Journey,
  type Leg,
  type RideLeg,
  type TimeAt,
} from '@ticketing/core';
import { type JourneyDecoder, LeftOut, type WirePlace } from '../wire/read-journeys.ts';
import { childOf, childrenOf, textAt, type XmlElement } from '../wire/xml-reader.ts';
import { type StopContext, stopOf } from './places.ts';

const INSTANT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,9})?(Z|[+-]\d\d:\d\d)?$/;
const DURATION =
  /^P(?:(\d{1,3})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,5})M)?(?:\d{1,6}(?:\.\d{1,9})?S)?)?$/;

/** Modes that are not trains; others that are not named here and do not end in `rail` are `other`. */
const modes: ReadonlyMap<string, NonNullable<RideLeg['mode']>> = new Map([
  ['bus', 'bus'],
  ['coach', 'bus'],
  ['trolleyBus', 'bus'],
  ['tram', 'tram'],
  ['metro', 'metro'],
  ['underground', 'metro'],
  ['ferry', 'ferry'],
  ['water', 'ferry'],
]);
const trains = /^(?:rail|[a-zA-Z]{1,40}Rail|railwayService|highSpeedRailService)$/;

/** How people get from one ride to the next; another way, such as a taxi, is no part of a journey here. */
const walks: ReadonlySet<string> = new Set([
  'walk',
  'foot',
  'remainInVehicle',
  'protectedConnection',
  'guaranteedConnection',
]);

/** Reads a trip. It has no price: fares are another service. */
export function journeyOf(decoder: JourneyDecoder, trip: XmlElement, stops: StopContext): Journey {
  const legs: Leg[] = [];
  // The ways since the last ride.
  let ways: XmlElement[] = [];
  const isCancelled = isTrue(trip, 'Cancelled');
  for (const leg of childrenOf(trip, 'Leg', 'TripLeg')) {
    const timed = childOf(leg, 'TimedLeg');
    if (timed !== undefined) {
      const ride = rideOf(decoder, timed, stops);
      const before = legs.at(-1);
      if (before?.kind === 'ride') legs.push(changeOf(before, ride, ways));
      else legs.push(...walksOf(decoder, ways, stops));
      legs.push(ride);
      ways = [];
      continue;
    }
    const way = childOf(leg, 'TransferLeg', 'ContinuousLeg');
    if (way === undefined) throw new LeftOut('with a leg of an unknown kind');
    checkWalk(way);
    ways.push(way);
  }
  legs.push(...walksOf(decoder, ways, stops));
  const rides = legs.filter((leg) => leg.kind === 'ride');
  const someCancelled = rides.some(({ cancelled }) => cancelled);
  return createJourney({
    source: decoder.carrier,
    // Where the trip is cancelled and no ride says so, none runs as planned.
    legs: isCancelled && !someCancelled ? legs.map(cancelledLeg) : legs,
    offers: [],
    priced: false,
  });
}

function cancelledLeg(leg: Leg): Leg {
  return leg.kind === 'ride' ? { ...leg, cancelled: true } : leg;
}

function changeOf(before: RideLeg, after: RideLeg, ways: readonly XmlElement[]): Leg {
  const gap = Math.round((after.departure.ms - before.arrival.ms) / 60_000);
  const told = ways.map((way) => minutesOf(textAt(way, 'Duration')) ?? gap);
  const minutes = Math.max(0, told.length > 0 ? told.reduce((sum, one) => sum + one, 0) : gap);
  return { kind: 'transfer', origin: before.destination, destination: after.origin, minutes };
}

/** Walks before the first ride or after the last, to another station. */
function walksOf(
  decoder: JourneyDecoder,
  ways: readonly XmlElement[],
  stops: StopContext,
): readonly Leg[] {
  return ways.flatMap((way): readonly Leg[] => {
    const [origin, destination] = ['LegStart', 'LegEnd'].map(
      (end) => stopOf(decoder, childOf(way, end), stops).id,
    ) as [string, string];
    const minutes = minutesOf(textAt(way, 'Duration')) ?? 0;
    return origin === destination ? [] : [{ kind: 'transfer', origin, destination, minutes }];
  });
}

/** Leaves out a trip with a section by taxi, car or bicycle. */
function checkWalk(way: XmlElement): void {
  const service = childOf(way, 'Service');
  const kinds = [
    ...childrenOf(way, 'TransferType', 'TransferMode'),
    ...childrenOf(service, 'PersonalMode', 'IndividualMode'),
  ];
  for (const { text } of kinds) {
    if (!walks.has(text.trim())) throw new LeftOut(`by ${text.trim()}`);
  }
}

function rideOf(decoder: JourneyDecoder, timed: XmlElement, stops: StopContext): RideLeg {
  const board = childOf(timed, 'LegBoard');
  const alight = childOf(timed, 'LegAlight');
  const service = childOf(timed, 'Service');
  const from = stopOf(decoder, board, stops);
  const to = stopOf(decoder, alight, stops);
  const leaves = childOf(board, 'ServiceDeparture');
  const arrives = childOf(alight, 'ServiceArrival');
  const expectedDeparture = textAt(leaves, 'EstimatedTime');
  const expectedArrival = textAt(arrives, 'EstimatedTime');
  const isCancelled =
    isTrue(service, 'Cancelled') ||
    isTrue(board, 'NotServicedStop') ||
    isTrue(alight, 'NotServicedStop');
  const day = textAt(service, 'OperatingDayRef');
  const operator = textAt(service, 'OperatorRefs', 'OperatorRef') ?? textAt(service, 'OperatorRef');
  const time = (text: string | undefined, at: WirePlace): TimeAt =>
    timeAt(decoder, text, at.zone, stops.zone);
  return {
    kind: 'ride',
    origin: from.id,
    destination: to.id,
    departure: time(textAt(leaves, 'TimetabledTime'), from),
    arrival: time(textAt(arrives, 'TimetabledTime'), to),
    ...(expectedDeparture !== undefined && { expectedDeparture: time(expectedDeparture, from) }),
    ...(expectedArrival !== undefined && { expectedArrival: time(expectedArrival, to) }),
    ...(isCancelled && { cancelled: true }),
    ...nameOf(timed, service),
    ...(operator !== undefined && { operator }),
    ...(day !== undefined && isLocalDate(day) && { operatingDay: day }),
  };
}

/** Returns mode, number and brand: `IC 8` is the name of a line, in `EC 57` the number of the train is left out. */
function nameOf(
  timed: XmlElement,
  service: XmlElement | undefined,
): Pick<RideLeg, 'mode' | 'number' | 'brand'> {
  const mode = modeOf(textAt(service, 'Mode', 'PtMode') ?? '');
  const numbers = [
    textAt(service, 'TrainNumber'),
    // Where servers of 1.0 have it.
    textAt(timed, 'Extension', 'PublishedJourneyNumber', 'Text'),
  ].map((text) => text?.replace(/^0+(?=.)/, ''));
  const number = numbers.find((text) => text !== undefined && /^\d{1,6}$/.test(text));
  const line =
    textAt(service, 'PublishedServiceName', 'Text') ?? textAt(service, 'PublishedLineName', 'Text');
  const brand =
    number !== undefined && line?.endsWith(` ${number}`)
      ? line.slice(0, -number.length - 1).trim()
      : line;
  return {
    ...(mode !== undefined && { mode }),
    ...(mode === undefined && number !== undefined && { number }),
    ...(brand !== undefined && brand !== '' && { brand }),
  };
}

function modeOf(text: string): RideLeg['mode'] | undefined {
  return trains.test(text) ? undefined : (modes.get(text) ?? 'other');
}

/** An instant in UTC or with its offset; text without one is local in the zone of the server. */
function timeAt(
  { read, clock }: JourneyDecoder,
  text: string | undefined,
  zone: string,
  ownZone: string,
): TimeAt {
  const [, local, offset] = INSTANT.exec(text ?? '') ?? [];
  if (local === undefined) throw read.error('a time', text);
  if (offset === undefined) return clock.fromEpoch(clock.epoch(local, ownZone), zone);
  return clock.fromEpoch(clock.epoch(local, 'UTC') - offsetMs(offset), zone);
}

function offsetMs(offset: string): number {
  if (offset === 'Z') return 0;
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4));
  return (offset.startsWith('-') ? -minutes : minutes) * 60_000;
}

/** Minutes of `PT1H5M`; of a text that is no duration none, since nothing depends on them. */
function minutesOf(text: string | undefined): number | undefined {
  const [whole, days = 0, hours = 0, minutes = 0] = DURATION.exec(text ?? '') ?? [];
  if (whole === undefined) return undefined;
  return Number(days) * 1440 + Number(hours) * 60 + Number(minutes);
}

function isTrue(element: XmlElement | undefined, name: string): boolean {
  const text = textAt(element, name);
  return text === 'true' || text === '1';
}
