import {
  type CarrierAnswer,
  CarrierError,
  createJourney,
  type Journey,
  type LocalClock,
  moneyFromNumber,
  type Offer,
  type ResolvedQuery,
  type Station,
} from '@ticketing/core';
import type { WireReader, WireRecord } from '../wire/wire-reader.ts';
import type { AvloWire } from './request.ts';
import { runningMinutes } from './running-times.ts';

/** What decoding needs beside the bytes. */
export interface AvloDecoder {
  readonly read: WireReader;
  readonly clock: LocalClock;
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z$/;

/**
 * Picks the rows of the asked stations and local day. A row has departure, stations and price alone:
 * the arrival follows from the line's running time, and there is no train number.
 */
export function normaliseAvlo(
  decoder: AvloDecoder,
  wire: AvloWire,
  query: ResolvedQuery,
): CarrierAnswer {
  const { read, clock } = decoder;
  const from = idOf(query.origin);
  const to = idOf(query.destination);
  const minutes = runningMinutes(from, to);
  if (minutes === undefined) {
    const route = `${query.origin.name} to ${query.destination.name}`;
    throw new CarrierError(
      'NOT_SERVED',
      `Cannot search avlo: a line of the network expected, got ${route}`,
    );
  }
  const rows = wire.days.flatMap((day) => read.list(read.json(day), 'timetable'));
  const journeys: Journey[] = [];
  for (const value of rows) {
    const row = read.record(value, 'row');
    const departureMs = instantOf(read, row);
    const sameStations =
      String(read.number(row, 'origin')) === from && String(read.number(row, 'destination')) === to;
    if (!sameStations || clock.dateOf(departureMs, query.origin.zone) !== query.date) continue;
    journeys.push(
      read.guard(() =>
        createJourney({
          source: 'avlo',
          legs: [
            {
              kind: 'ride',
              origin: query.origin.id,
              destination: query.destination.id,
              departure: clock.fromEpoch(departureMs, query.origin.zone),
              arrival: clock.fromEpoch(departureMs + minutes * 60_000, query.destination.zone),
              brand: 'AVLO',
              operator: 'renfe',
              operatingDay: query.date,
            },
          ],
          offers: row['price'] === null ? [] : [offerOf(read, row, query, wire.receivedAt)],
        }),
      ),
    );
  }
  return { journeys };
}

/** Avlo's id of a station. @throws CarrierError `NOT_SERVED` */
export function idOf({ codes, name }: Station): string {
  const id = codes['avlo'];
  if (id === undefined) {
    throw new CarrierError(
      'NOT_SERVED',
      `Cannot ask avlo: a station that it serves expected, got ${name}`,
    );
  }
  return id;
}

function instantOf(read: WireReader, row: WireRecord): number {
  const date = read.text(row, 'date');
  const ms = INSTANT.test(date) ? Date.parse(date) : Number.NaN;
  const year = new Date(ms).getUTCFullYear();
  if (!(year >= 1973 && year <= 2199)) throw read.error('a UTC instant at date', date);
  return ms;
}

function offerOf(
  read: WireReader,
  row: WireRecord,
  { passengers }: ResolvedQuery,
  fetchedAt: number,
): Offer {
  const price = moneyFromNumber(read.number(row, 'price'), 'EUR');
  if (price.amount < 0) throw read.error('a price of 0 or more', row['price']);
  return {
    id: 'basic',
    seller: 'avlo',
    total: { ...price, amount: price.amount * passengers },
    travelClass: 'second',
    fareName: 'Basic',
    flexibility: 'none',
    fetchedAt,
  };
}
