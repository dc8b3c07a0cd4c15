import type { Leg, ResolvedQuery, RideLeg, Station } from '@ticketing/core';
import type { CarrierDecoder } from '../wire/decoder.ts';
import type { WireRecord } from '../wire/wire-reader.ts';
import { readLocalTimes } from './local-times.ts';

/** Reads the one or two trains of an entry, with the change between them. */
export function readLegs(decoder: CarrierDecoder, entry: WireRecord, query: ResolvedQuery): Leg[] {
  const { read } = decoder;
  const trains = read
    .list(entry['trayectos'], 'trayectos')
    .map((train) => read.record(train, 'trayectos'));
  const [first, second, ...more] = trains;
  if (!first || more.length > 0) throw read.error('one or two trayectos', trains.length);
  return second
    ? changeOf(decoder, entry, first, second)
    : [directRide(decoder, query, entry, first)];
}

/** One train: its times, and its stations if it names them, stand in the entry itself. */
function directRide(
  decoder: CarrierDecoder,
  query: ResolvedQuery,
  entry: WireRecord,
  train: WireRecord,
): RideLeg {
  const stationOr = (name: string, asked: Station): Station =>
    entry[name] === undefined ? asked : decoder.station(entry, name);
  return rideOf(decoder, entry, {
    brand: 'tipoTrenUno',
    times: entry,
    train,
    from: stationOr('cdgoEstacionOrigen', query.origin),
    to: stationOr('cdgoEstacionDestino', query.destination),
    minutes: lengthOf(decoder, entry),
  });
}

/** Two trains and the change between them: times and stations stand with each train. */
function changeOf(
  decoder: CarrierDecoder,
  entry: WireRecord,
  first: WireRecord,
  second: WireRecord,
): Leg[] {
  const ride = (
    brand: string,
    train: WireRecord,
    length?: Pick<RidePlan, 'minutes' | 'sinceMs'>,
  ): RideLeg =>
    rideOf(decoder, entry, {
      brand,
      times: train,
      train,
      from: decoder.station(train, 'cdgoEstacionOrigen'),
      to: decoder.station(train, 'cdgoEstacionDestino'),
      ...length,
    });
  const before = ride('tipoTrenUno', first);
  const after = ride('tipoTrenDos', second, {
    minutes: lengthOf(decoder, entry),
    sinceMs: before.departure.ms,
  });
  const minutes = Math.round((after.departure.ms - before.arrival.ms) / 60_000);
  return [
    before,
    { kind: 'transfer', origin: before.destination, destination: after.origin, minutes },
    after,
  ];
}

interface RidePlan {
  /** Name of the entry's field that holds the brand. */
  readonly brand: string;
  readonly times: WireRecord;
  readonly train: WireRecord;
  readonly from: Station;
  readonly to: Station;
  readonly minutes?: number | undefined;
  readonly sinceMs?: number | undefined;
}

function rideOf(decoder: CarrierDecoder, entry: WireRecord, plan: RidePlan): RideLeg {
  const { read, clock } = decoder;
  const { brand, times, train, from, to, minutes, sinceMs } = plan;
  const zones = { originZone: from.zone, destinationZone: to.zone };
  return {
    kind: 'ride',
    origin: from.id,
    destination: to.id,
    ...readLocalTimes(read, clock, { times, ...zones, minutes, sinceMs }),
    brand: read.text(entry, brand),
    number: decoder.trainNumber(train, 'cdgoTren'),
    operator: 'renfe',
    operatingDay: read.text(times, 'fecha'),
  };
}

function lengthOf({ read }: CarrierDecoder, entry: WireRecord): number {
  return read.number(entry, 'duracionViajeTotalEnMinutos');
}
