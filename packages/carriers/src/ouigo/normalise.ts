import {
  type CarrierAnswer,
  CarrierError,
  type CarrierErrorCode,
  type CarrierQuery,
  createJourney,
  type Journey,
  moneyFromNumber,
  type Offer,
  type TimeAt,
} from '@ticketing/core';
import type { CarrierDecoder } from '../wire/decoder.ts';
import { type JourneyDecoder, readJourneys, type WirePlace } from '../wire/read-journeys.ts';
import type { WireReader, WireRecord } from '../wire/wire-reader.ts';
import type { OuigoWire } from './request.ts';

/** Where Ouigo runs: the zone of a station that the table lacks. */
const ZONE = 'Europe/Madrid';
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:Z|[+-]\d{2}:\d{2})$/;

const codeByOuigoError: ReadonlyMap<string, CarrierErrorCode> = new Map([
  ['BAD_REQUEST', 'BAD_REQUEST'],
  ['DATE_NOT_ON_SALE', 'DATE_OUT_OF_RANGE'],
  ['NO_ROUTE', 'NOT_SERVED'],
  ['TOO_MANY_REQUESTS', 'RATE_LIMITED'],
]);

/** Turns Ouigo's outbound trains into journeys. An error may come with status 200. */
export function normaliseOuigo(
  decoder: CarrierDecoder,
  wire: OuigoWire,
  query: CarrierQuery,
): CarrierAnswer {
  const { read } = decoder;
  const answer = read.record(read.json(wire.body), 'answer');
  if (answer['error'] !== undefined && answer['error'] !== null) {
    throw errorOf(read, read.record(answer['error'], 'error'));
  }
  const trains = read.list(answer['outbound'], 'outbound');
  return readJourneys(
    decoder,
    trains.map((train) => read.record(train, 'outbound')),
    (train, row) => journeyOf(row, wire, query, train),
  );
}

function errorOf(read: WireReader, error: WireRecord): CarrierError {
  const ouigoCode = error['code'];
  const code = typeof ouigoCode === 'string' ? codeByOuigoError.get(ouigoCode) : undefined;
  if (code === undefined) return read.error('a known error code', ouigoCode);
  return new CarrierError(code, `Cannot ask \`ouigo\`: it answered ${ouigoCode}`);
}

function journeyOf(
  decoder: JourneyDecoder,
  wire: OuigoWire,
  query: CarrierQuery,
  train: WireRecord,
): Journey {
  const { read } = decoder;
  const from = callAt(decoder, train, 'departure');
  const to = callAt(decoder, train, 'arrival');
  return createJourney({
    source: 'ouigo',
    legs: [
      {
        kind: 'ride',
        origin: from.station.id,
        destination: to.station.id,
        departure: from.time,
        arrival: to.time,
        brand: 'OUIGO',
        number: decoder.trainNumber(train, 'train_number'),
        operator: 'ouigo',
        operatingDay: from.time.iso.slice(0, 10),
      },
    ],
    offers: read.boolean(train, 'full') ? [] : [offerOf(decoder, train, query, wire.receivedAt)],
  });
}

function callAt(
  { read, clock, station }: JourneyDecoder,
  train: WireRecord,
  end: 'departure' | 'arrival',
): { station: WirePlace; time: TimeAt } {
  const call = read.record(train[`${end}_station`], `${end}_station`);
  const at = station(call, '_u_i_c_station_code', { name: call['name'], zone: ZONE });
  const timestamp = read.text(call, `${end}_timestamp`);
  const ms = TIMESTAMP.test(timestamp) ? Date.parse(timestamp) : Number.NaN;
  if (Number.isNaN(ms)) throw read.error('a timestamp with its offset', timestamp);
  // `Date.parse` reads 30 February as 2 March; the clock refuses it.
  const local = clock.fromLocal(timestamp.slice(0, 19), at.zone);
  return { station: at, time: local.ms === ms ? local : clock.fromEpoch(ms, at.zone) };
}

/** `price` is a floating point number of euros, per person. */
function offerOf(
  { read, total }: CarrierDecoder,
  train: WireRecord,
  query: CarrierQuery,
  fetchedAt: number,
): Offer {
  const price = moneyFromNumber(read.number(train, 'price'), 'EUR');
  const seatsLeft = read.number(train, 'remaining_seats');
  if (!Number.isInteger(seatsLeft) || seatsLeft < 0)
    throw read.error('a count of seats', seatsLeft);
  return {
    id: 'essential',
    seller: 'ouigo',
    total: total(price, query),
    travelClass: 'second',
    fareName: 'Essential',
    flexibility: 'none',
    seatsLeft,
    fetchedAt,
  };
}
