import {
  type CarrierAnswer,
  CarrierError,
  type CarrierQuery,
  createJourney,
  type Journey,
  moneyFromNumber,
  type Offer,
} from '@ticketing/core';
import { stationCode } from '../stations/station-table.ts';
import type { CarrierDecoder } from '../wire/decoder.ts';
import { readJourneys } from '../wire/read-journeys.ts';
import { instantMs } from '../wire/wire-instant.ts';
import type { WireReader, WireRecord } from '../wire/wire-reader.ts';
import { withOperators } from '../wire/with-operators.ts';
import type { AvloWire } from './request.ts';

/**
 * Picks the rows of the query's stations and local day. A row has only departure, stations and price: the
 * arrival follows from the line's running time, and trains have no number.
 */
export function normaliseAvlo(
  decoder: CarrierDecoder,
  wire: AvloWire,
  query: CarrierQuery,
): CarrierAnswer {
  const { read, clock } = decoder;
  const from = stationCode('avlo', query.origin);
  const to = stationCode('avlo', query.destination);
  const minutes = minutesByPair.get(`${from} ${to}`);
  if (minutes === undefined) {
    const route = `${query.origin.name} to ${query.destination.name}`;
    throw new CarrierError('NOT_SERVED', `Cannot ask \`avlo\`: it has no line from ${route}`);
  }
  const isAsked = (row: WireRecord): boolean =>
    idAt(read, row, 'origin') === from &&
    idAt(read, row, 'destination') === to &&
    clock.dateOf(instantOf(read, row), query.origin.zone) === query.date;
  const days = wire.days.map((day) => rowsOf(read, read.json(day)));
  const asked = read.guard(() => {
    const kept: WireRecord[] = [];
    for (const rows of days) {
      for (const value of rows) {
        const row = read.record(value, 'row');
        if (isAsked(row)) kept.push(row);
      }
    }
    return kept;
  });
  const context = { query, minutes, fetchedAt: wire.receivedAt };
  const answer = readJourneys(decoder, asked, (row) => journeyOf(decoder, row, context));
  return withOperators(answer, { renfe: 'Renfe' });
}

/** Any id is one of a station, also of a station that the table lacks. */
function idAt(read: WireReader, row: WireRecord, name: string): string {
  const id = row[name];
  if (typeof id !== 'number' && typeof id !== 'string')
    throw read.error(`a station at \`${name}\``, id);
  return String(id);
}

/** An error in place of rows is the server's. */
function rowsOf(read: WireReader, answer: unknown): readonly unknown[] {
  const { error } = Object(answer) as { readonly error?: unknown };
  if (answer === null) throw read.error('a list at `timetable`', answer);
  if (error === undefined || error === null) return read.items(answer, 'timetable');
  throw new CarrierError('UPSTREAM', 'Cannot ask `avlo`: it answered an error');
}

interface RowContext {
  readonly query: CarrierQuery;
  /** Running time. */
  readonly minutes: number;
  readonly fetchedAt: number;
}

function journeyOf(decoder: CarrierDecoder, row: WireRecord, context: RowContext): Journey {
  const { read, clock } = decoder;
  const { query, minutes, fetchedAt } = context;
  const { origin, destination, date } = query;
  const departureMs = instantOf(read, row);
  return createJourney({
    source: 'avlo',
    legs: [
      {
        kind: 'ride',
        origin: origin.id,
        destination: destination.id,
        departure: clock.fromEpoch(departureMs, origin.zone),
        arrival: clock.fromEpoch(departureMs + minutes * 60_000, destination.zone),
        brand: 'AVLO',
        operator: 'renfe',
        operatingDay: date,
      },
    ],
    offers:
      row['price'] === undefined || row['price'] === null
        ? []
        : [offerOf(decoder, row, query, fetchedAt)],
  });
}

function instantOf(read: WireReader, row: WireRecord): number {
  const date = read.text(row, 'date');
  const ms = date.endsWith('Z') ? instantMs(date) : undefined;
  if (ms === undefined) throw read.error('a UTC instant at `date`', date);
  return ms;
}

function offerOf(
  { read, total }: CarrierDecoder,
  row: WireRecord,
  query: CarrierQuery,
  fetchedAt: number,
): Offer {
  const price = moneyFromNumber(read.optionalNumber(row, 'price') ?? Number.NaN, 'EUR');
  return {
    id: 'basic',
    seller: 'avlo',
    total: total(price, query),
    travelClass: 'second',
    fareName: 'Basic',
    flexibility: 'none',
    fetchedAt,
  };
}

// Scheduled minutes between the stations (Avlo's own ids) of each line, the same in both directions.
const lines: readonly (readonly [from: string, to: string, minutes: number])[] = [
  ['12', '14', 80],
  ['12', '13', 160],
  ['14', '13', 85],
  ['12', '15', 145],
  ['16', '17', 115],
  ['16', '18', 150],
  ['12', '19', 110],
  ['12', '20', 160],
  ['12', '21', 175],
  ['16', '22', 65],
];

/** Running minutes by the ids of both stations. */
const minutesByPair: ReadonlyMap<string, number> = new Map(
  lines.flatMap(([from, to, minutes]) => [
    [`${from} ${to}`, minutes],
    [`${to} ${from}`, minutes],
  ]),
);
