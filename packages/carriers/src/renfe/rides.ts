import type {
  Leg,
  LocalClock,
  ResolvedQuery,
  RideLeg,
  Station,
  StationIndex,
} from '@ticketing/core';
import type { WireReader, WireRecord } from '../wire/wire-reader.ts';
import { readLocalTimes } from './local-times.ts';

/** What decoding needs beside the bytes. */
export interface RenfeDecoder {
  readonly read: WireReader;
  readonly clock: LocalClock;
  readonly stations: StationIndex;
}

/** Reads the one or two trains of an entry, with the change between them. */
export function readLegs(decoder: RenfeDecoder, entry: WireRecord, query: ResolvedQuery): Leg[] {
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
  decoder: RenfeDecoder,
  query: ResolvedQuery,
  entry: WireRecord,
  train: WireRecord,
): RideLeg {
  const stationOr = (name: string, asked: Station): Station =>
    entry[name] === undefined ? asked : stationAt(decoder, entry, name);
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
  decoder: RenfeDecoder,
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
      from: stationAt(decoder, train, 'cdgoEstacionOrigen'),
      to: stationAt(decoder, train, 'cdgoEstacionDestino'),
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

function rideOf({ read, clock }: RenfeDecoder, entry: WireRecord, plan: RidePlan): RideLeg {
  const { brand, times, train, from, to, minutes, sinceMs } = plan;
  const number = read.text(train, 'cdgoTren').replace(/^0+(?=.)/, '');
  if (!/^\d{1,6}$/.test(number)) throw read.error('a train number at cdgoTren', train['cdgoTren']);
  const zones = { originZone: from.zone, destinationZone: to.zone };
  return {
    kind: 'ride',
    origin: from.id,
    destination: to.id,
    ...readLocalTimes(read, clock, { times, ...zones, minutes, sinceMs }),
    brand: read.text(entry, brand),
    number,
    operator: 'renfe',
    operatingDay: read.text(times, 'fecha'),
  };
}

function lengthOf({ read }: RenfeDecoder, entry: WireRecord): number {
  return read.number(entry, 'duracionViajeTotalEnMinutos');
}

function stationAt({ read, stations }: RenfeDecoder, record: WireRecord, name: string): Station {
  const code = read.text(record, name);
  const station = stations.byCode('renfe', code);
  if (!station) throw read.error(`a known station at ${name}`, code);
  return station;
}
