import {
  type CarrierAnswer,
  CarrierError,
  type CarrierErrorCode,
  type CarrierQuery,
  createJourney,
  isLocalDate,
  type Journey,
  type Leg,
  moneyFromNumber,
  type Offer,
  type RideLeg,
  type TimeAt,
} from '@ticketing/core';
import { type CarrierDecoder, withEnds } from '../wire/decoder.ts';
import {
  type JourneyDecoder,
  LeftOut,
  readJourneys,
  type WirePlace,
} from '../wire/read-journeys.ts';
import { instantMs } from '../wire/wire-instant.ts';
import type { WireReader, WireRecord } from '../wire/wire-reader.ts';
import { withOperators } from '../wire/with-operators.ts';
import type { OuigoWire } from './request.ts';

/** Zone of a station that the table lacks: Ouigo runs in Spain. */
const ZONE = 'Europe/Madrid';
const TIMESTAMP = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?)(Z|[+-]\d{2}:?\d{2})?$/;

const codeByOuigoError: ReadonlyMap<string, CarrierErrorCode> = new Map([
  ['BAD_REQUEST', 'BAD_REQUEST'],
  ['DATE_NOT_ON_SALE', 'DATE_OUT_OF_RANGE'],
  ['NO_ROUTE', 'NOT_SERVED'],
  ['TOO_MANY_REQUESTS', 'RATE_LIMITED'],
]);

/** Turns Ouigo's outbound trains into journeys. An error may come with status 200. */
export function normaliseOuigo(
  plain: CarrierDecoder,
  wire: OuigoWire,
  query: CarrierQuery,
): CarrierAnswer {
  const decoder = withEnds(plain, query);
  const { read } = decoder;
  const answer = read.record(read.json(wire.body), 'answer');
  const [error] = [answer['error'], ...read.items(answer['errors'], 'errors')].filter(
    (one) => one !== undefined && one !== null,
  );
  if (error !== undefined) throw errorOf(read, error);
  if (answer['outbound'] === undefined) {
    // An error may be the whole answer.
    if (read.optionalText(answer, 'code') !== undefined) throw errorOf(read, answer);
    throw read.error('a list at `outbound`', undefined);
  }
  const trains = read.records(answer['outbound'], 'outbound');
  const found = readJourneys(decoder, trains, (train, row) => journeyOf(row, wire, train));
  return withOperators(found, { ouigo: 'Ouigo' });
}

/** A code that is not known, and a text in place of one, is an error of the server. */
export function errorOf(read: WireReader, error: unknown): CarrierError {
  const record = typeof error === 'object' && error !== null ? error : { message: error };
  const own = read.record(record, 'error');
  const code = read.optionalText(own, 'code');
  return new CarrierError(
    (code !== undefined && codeByOuigoError.get(code)) || 'UPSTREAM',
    `Cannot ask \`ouigo\`: it answered ${code ?? read.optionalText(own, 'message') ?? 'an error'}`,
  );
}

function journeyOf(decoder: JourneyDecoder, wire: OuigoWire, train: WireRecord): Journey {
  return createJourney({
    source: 'ouigo',
    legs: legsOf(decoder, train),
    offers: offersOf(decoder, train, wire.receivedAt),
  });
}

/** A ride for each train. Of several trains the change is only known if each has its own times. */
function legsOf(decoder: JourneyDecoder, train: WireRecord): readonly Leg[] {
  const segments = decoder.read.records(train['segments'], 'segments');
  const [first] = segments;
  if (segments.length < 2 || segments.every((one) => isSameTrain(one, first))) {
    return [rideOf(decoder, train, first)];
  }
  if (segments.some((one) => one['departure_station'] == null || one['arrival_station'] == null)) {
    throw new LeftOut('of trains without the times of the change');
  }
  return segments
    .map((one) => rideOf(decoder, one, one))
    .flatMap((ride, index, rides): Leg[] => {
      const before = rides[index - 1];
      return before === undefined ? [ride] : [changeOf(before, ride), ride];
    });
}

function isSameTrain(one: WireRecord, other: WireRecord | undefined): boolean {
  const name = one['service_name'] ?? undefined;
  return name !== undefined && name === other?.['service_name'];
}

function changeOf(before: RideLeg, after: RideLeg): Leg {
  return {
    kind: 'transfer',
    origin: before.destination,
    destination: after.origin,
    minutes: Math.round((after.departure.ms - before.arrival.ms) / 60_000),
  };
}

/** One train: `calls` has its stations and times, `segment` its number and day. */
function rideOf(decoder: JourneyDecoder, calls: WireRecord, segment: WireRecord = {}): RideLeg {
  const { read } = decoder;
  const from = callAt(decoder, calls, 'departure');
  const to = callAt(decoder, calls, 'arrival');
  const number =
    decoder.trainNumber(segment, 'service_name') ??
    decoder.trainNumber(calls, 'service_name') ??
    decoder.trainNumber(calls, 'train_number');
  const day = read.optionalText(segment, 'service_date');
  return {
    kind: 'ride',
    origin: from.station.id,
    destination: to.station.id,
    departure: from.time,
    arrival: to.time,
    brand: 'OUIGO',
    ...(number !== undefined && { number }),
    operator: 'ouigo',
    operatingDay: day !== undefined && isLocalDate(day) ? day : from.time.iso.slice(0, 10),
  };
}

function callAt(
  decoder: JourneyDecoder,
  train: WireRecord,
  end: 'departure' | 'arrival',
): { station: WirePlace; time: TimeAt } {
  const { read } = decoder;
  const call = read.record(train[`${end}_station`], `${end}_station`);
  const station = decoder.station(call, '_u_i_c_station_code', { name: call['name'], zone: ZONE });
  return { station, time: timeOf(decoder, call, `${end}_timestamp`, station.zone) };
}

/** A time without an offset is on the clocks of its station. */
function timeOf(
  { read, clock }: CarrierDecoder,
  call: WireRecord,
  name: string,
  zone: string,
): TimeAt {
  if (call[name] === undefined || call[name] === null) throw new LeftOut('without a time');
  const timestamp = read.text(call, name);
  const [, wall, offset] = TIMESTAMP.exec(timestamp) ?? [];
  if (wall === undefined) throw read.error('a timestamp', timestamp);
  const local = clock.fromLocal(wall, zone);
  if (offset === undefined) return local;
  const ms = instantMs(timestamp);
  if (ms === undefined) throw read.error('a timestamp', timestamp);
  return local.ms === ms ? local : clock.fromEpoch(ms, zone);
}

/** `price` is a floating point number of euros, for the whole party. A train that is full has none, nor has one that is not on sale. */
function offersOf({ read }: CarrierDecoder, train: WireRecord, fetchedAt: number): Offer[] {
  const price = read.isTrue(train, 'full') ? undefined : (train['price'] ?? undefined);
  if (price === undefined) return [];
  const total = moneyFromNumber(read.optionalNumber(train, 'price') ?? Number.NaN, 'EUR');
  if (total.amount < 0) throw read.error('a price of 0 or more', price);
  const seatsLeft = read.optionalNumber(train, 'remaining_seats');
  if (seatsLeft !== undefined && !(Number.isInteger(seatsLeft) && seatsLeft >= 0)) {
    throw read.error('a count of seats', seatsLeft);
  }
  return [
    {
      id: 'essential',
      seller: 'ouigo',
      total,
      travelClass: 'second',
      fareName: 'Essential',
      flexibility: 'unknown',
      ...(seatsLeft !== undefined && { seatsLeft }),
      fetchedAt,
    },
  ];
}
