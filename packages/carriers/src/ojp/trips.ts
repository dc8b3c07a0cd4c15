import {
  createJourney,
  isLocalDate,
  type Journey,
  type Leg,
  type RideLeg,
  type TimeAt,
} from '@ticketing/core';
import { joinRides } from '../wire/join-rides.ts';
import { type JourneyDecoder, LeftOut, type WirePlace } from '../wire/read-journeys.ts';
import { shownText } from '../wire/shown-text.ts';
import { wireInstant } from '../wire/wire-instant.ts';
import { childOf, childrenOf, textAt, type XmlElement } from '../wire/xml-reader.ts';
import { type StopContext, stopOf } from './places.ts';

const DURATION =
  /^P(?:0+Y)?(?:0+M)?(?:(\d{1,3})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,5})M)?(?:(\d{1,6}(?:\.\d{1,9})?)S)?)?$/;

/** Modes by their names in 1.0, 2.0 and in TRIAS, `tram` and `tramService`; others are `other`. */
const modes: readonly (readonly [pattern: RegExp, mode: RideLeg['mode'] | 'train'])[] = [
  [/^(?:rail|[a-z]{1,40}rail(?:way)?|railway)(?:service)?$/, 'train'],
  [/bus|coach/, 'bus'],
  [/tram/, 'tram'],
  [/metro|underground/, 'metro'],
  [/ferry|water|ship/, 'ferry'],
];

/** Ways by another vehicle: such a trip is no journey here. Any other way is one on foot, or in a train. */
const vehicles: ReadonlySet<string> = new Set([
  ...['taxi', 'shuttle', 'parkAndRide', 'bikeAndRide', 'carHire', 'bikeHire'],
  ...[
    'car',
    'bicycle',
    'cycle',
    'motorcycle',
    'scooter',
    'truck',
    'self-drive-car',
    'others-drive-car',
  ],
]);

/** Transfers in which people stay in the train, or go to another part of it. */
const stays: ReadonlySet<string> = new Set(['remainInVehicle', 'changeWithinVehicle']);

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
      if (before?.kind === 'ride' && ways.length > 0 && ways.every(isStay)) {
        legs[legs.length - 1] = joinRides(before, ride);
      } else {
        if (before?.kind === 'ride') legs.push(changeOf(before, ride, ways));
        else legs.push(...walksOf(decoder, ways, stops));
        legs.push(ride);
      }
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
  const journey = createJourney({
    source: decoder.carrier,
    // Where the trip is cancelled and no ride says so, none runs as planned.
    legs: isCancelled && !someCancelled ? legs.map(cancelledLeg) : legs,
    offers: [],
    priced: false,
  });
  // Walks have seconds: the trip's own sum of them is rounded once.
  const told = minutesOf(textAt(trip, 'Duration'));
  const isRounded = told !== undefined && Math.abs(told - journey.durationMinutes) === 1;
  return isRounded ? { ...journey, durationMinutes: told } : journey;
}

function cancelledLeg(leg: Leg): Leg {
  return leg.kind === 'ride' ? { ...leg, cancelled: true } : leg;
}

function isStay(way: XmlElement): boolean {
  return childrenOf(way, 'TransferType', 'TransferMode').some(({ text }) => stays.has(text.trim()));
}

function changeOf(before: RideLeg, after: RideLeg, ways: readonly XmlElement[]): Leg {
  const gap = Math.round((after.departure.ms - before.arrival.ms) / 60_000);
  const told = ways.map((way) => minutesOf(textAt(way, 'Duration')) ?? gap);
  const minutes = Math.max(0, told.length > 0 ? told.reduce((sum, one) => sum + one, 0) : gap);
  return { kind: 'transfer', origin: before.destination, destination: after.origin, minutes };
}

/** Walks before the first ride or after the last: those to another place, and those that take time. */
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
    return origin === destination && minutes === 0
      ? []
      : [{ kind: 'transfer', origin, destination, minutes }];
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
    if (vehicles.has(text.trim())) throw new LeftOut(`by ${text.trim()}`);
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
  const operator = shownText(
    textAt(service, 'OperatorRefs', 'OperatorRef') ?? textAt(service, 'OperatorRef'),
  );
  const time = (text: string | undefined, at: WirePlace): TimeAt => timeAt(decoder, text, at.zone);
  return {
    kind: 'ride',
    origin: from.id,
    destination: to.id,
    departure: time(textAt(leaves, 'TimetabledTime') ?? expectedDeparture, from),
    arrival: time(textAt(arrives, 'TimetabledTime') ?? expectedArrival, to),
    ...(expectedDeparture !== undefined && { expectedDeparture: time(expectedDeparture, from) }),
    ...(expectedArrival !== undefined && { expectedArrival: time(expectedArrival, to) }),
    ...(isCancelled && { cancelled: true }),
    ...nameOf(timed, service),
    ...(operator !== undefined && { operator }),
    ...(day !== undefined && isLocalDate(day) && { operatingDay: day }),
  };
}

/** Category and number as one text, where nothing else has the number: `RJ 797`. One or two digits may be those of a line. */
const NUMBERED = /^(\p{L}{1,6}) (\d{3,6})$/u;

/**
 * Returns mode, number and brand. The published name is that of a line, `IC 8`, or category and number, `EC 57`, or a code that people do
 * not know, `612B`: it counts if it begins with the category.
 */
function nameOf(
  timed: XmlElement,
  service: XmlElement | undefined,
): Pick<RideLeg, 'mode' | 'number' | 'brand'> {
  const mode = modeOf(textAt(service, 'Mode', 'PtMode') ?? '');
  const name = shownText(
    textAt(service, 'PublishedServiceName', 'Text') ?? textAt(service, 'PublishedLineName', 'Text'),
  );
  if (mode !== undefined) return { mode, ...(name !== undefined && { brand: name }) };
  const numbers = [
    textAt(service, 'TrainNumber'),
    // Where servers of 1.0 have it.
    textAt(timed, 'Extension', 'PublishedJourneyNumber', 'Text'),
  ].map((text) => text?.replace(/^0+(?=.)/, ''));
  const told = numbers.find((text) => text !== undefined && /^\d{1,6}$/.test(text));
  const [, own, ownNumber] = (told === undefined && NUMBERED.exec(name ?? '')) || [];
  const number = told ?? ownNumber?.replace(/^0+(?=.)/, '');
  const category = shownText(
    textAt(service, 'ProductCategory', 'ShortName', 'Text') ??
      textAt(service, 'Mode', 'ShortName', 'Text'),
  );
  const line =
    own ??
    (number !== undefined && name?.endsWith(` ${number}`)
      ? name.slice(0, -number.length - 1).trim() || undefined
      : name);
  const isKnown = category === undefined || line?.toLowerCase().startsWith(category.toLowerCase());
  const brand = isKnown ? line : category;
  return {
    ...(number !== undefined && { number }),
    ...(brand !== undefined && { brand }),
  };
}

function modeOf(text: string): RideLeg['mode'] | undefined {
  const name = text.toLowerCase();
  const [, mode = 'other'] = modes.find(([pattern]) => pattern.test(name)) ?? [];
  return mode === 'train' ? undefined : mode;
}

/** An instant in UTC or with its offset; text without one is on the clocks of the stop. */
function timeAt({ read, clock }: JourneyDecoder, text: string | undefined, zone: string): TimeAt {
  if (text === undefined) throw new LeftOut('without a time');
  const ms = wireInstant(clock, text, zone);
  if (ms === undefined) throw read.error('a time', text);
  return clock.fromEpoch(ms, zone);
}

/** Minutes of `PT1H5M`; of a text that is no duration none, since nothing depends on them. */
function minutesOf(text: string | undefined): number | undefined {
  const [whole, days = 0, hours = 0, minutes = 0, seconds = 0] = DURATION.exec(text ?? '') ?? [];
  if (whole === undefined) return undefined;
  return (
    Number(days) * 1440 + Number(hours) * 60 + Number(minutes) + Math.round(Number(seconds) / 60)
  );
}

function isTrue(element: XmlElement | undefined, name: string): boolean {
  const text = textAt(element, name);
  return text === 'true' || text === '1';
}
