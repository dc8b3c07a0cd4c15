import {
  addDays,
  type CarrierQuery,
  type Leg,
  type LocalClock,
  type RideLeg,
  type TimeAt,
} from '@ticketing/core';
import type { CarrierDecoder } from '../wire/decoder.ts';
import { type JourneyDecoder, LeftOut, type WirePlace } from '../wire/read-journeys.ts';
import type { WireRecord } from '../wire/wire-reader.ts';

/** Reads the one or two trains of an entry, with the change between them. */
export function readLegs(decoder: JourneyDecoder, entry: WireRecord, query: CarrierQuery): Leg[] {
  const { read } = decoder;
  const trains = read
    .list(entry['trayectos'], 'trayectos')
    .map((train) => read.record(train, 'trayectos'));
  const first = trains[0];
  const second = trains[1];
  if (!first) throw new LeftOut('without a train');
  if (trains.length > 2) throw new LeftOut('of more than two trains');
  return second
    ? changeOf(decoder, entry, first, second)
    : [directRide(decoder, query, entry, first)];
}

/** One train: the entry itself has its times, and its stations if any. */
function directRide(
  decoder: JourneyDecoder,
  query: CarrierQuery,
  entry: WireRecord,
  train: WireRecord,
): RideLeg {
  return rideOf(decoder, entry, {
    brand: 'tipoTrenUno',
    times: entry,
    train,
    from: stationOf(decoder, entry, 'cdgoEstacionOrigen') ?? query.origin,
    to: stationOf(decoder, entry, 'cdgoEstacionDestino') ?? query.destination,
    minutes: lengthOf(decoder, entry),
  });
}

function stationOf(
  decoder: JourneyDecoder,
  entry: WireRecord,
  name: string,
): WirePlace | undefined {
  return entry[name] === undefined ? undefined : decoder.station(entry, name);
}

/** Two trains and the change between them: each train has its times and stations. */
function changeOf(
  decoder: JourneyDecoder,
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

/** One train, and where its fields are. */
interface RidePlan {
  /** Name of the entry's field that holds the brand. */
  readonly brand: string;
  /** Holds `fecha`, `horaSalida` and `horaLlegada`: wall clocks, and the date of departure only. */
  readonly times: WireRecord;
  readonly train: WireRecord;
  readonly from: WirePlace;
  readonly to: WirePlace;
  /** Minutes from `sinceMs` (default: this departure) to this arrival. Default: unknown. */
  readonly minutes?: number;
  readonly sinceMs?: number;
}

function rideOf(decoder: CarrierDecoder, entry: WireRecord, plan: RidePlan): RideLeg {
  const { read } = decoder;
  const { departure, arrival } = readLocalTimes(decoder, plan);
  return {
    kind: 'ride',
    origin: plan.from.id,
    destination: plan.to.id,
    departure,
    arrival,
    brand: read.text(entry, plan.brand),
    number: decoder.trainNumber(plan.train, 'cdgoTren'),
    operator: 'renfe',
    operatingDay: read.text(plan.times, 'fecha'),
  };
}

function lengthOf({ read }: CarrierDecoder, entry: WireRecord): number {
  return read.number(entry, 'duracionViajeTotalEnMinutos');
}

/**
 * Reads departure and arrival. The minutes of the journey decide the day of arrival, and which of two hours is
 * meant when clocks go back. Where they are unknown or do not fit the wall clock, the clocks alone decide.
 */
function readLocalTimes(
  { read, clock }: CarrierDecoder,
  { times, from, to, minutes = 0, sinceMs }: RidePlan,
): { departure: TimeAt; arrival: TimeAt } {
  const day = read.text(times, 'fecha');
  const leaves = read.text(times, 'horaSalida');
  const arrives = read.text(times, 'horaLlegada');
  const departure = clock.fromLocal(`${day}T${leaves}`, from.zone);
  const byClock = arrivalByClock(clock, { day, leaves, arrives, zone: to.zone }, departure.ms);
  const byLengthMs = (sinceMs ?? departure.ms) + minutes * 60_000;
  if (byLengthMs === byClock.ms || !isPlausible(byLengthMs, departure.ms))
    return { departure, arrival: byClock };
  const byLength = clock.fromEpoch(byLengthMs, to.zone);
  return { departure, arrival: byLength.iso.slice(11, 16) === arrives ? byLength : byClock };
}

/** An arrival that reads earlier than the departure is in the hour that clocks show twice, or on the next day. */
function arrivalByClock(
  clock: LocalClock,
  { day, leaves, arrives, zone }: Readonly<Record<'day' | 'leaves' | 'arrives' | 'zone', string>>,
  departureMs: number,
): TimeAt {
  const sameDay = clock.fromLocal(`${day}T${arrives}`, zone);
  if (arrives >= leaves) return sameDay;
  const again = clock.fromEpoch(sameDay.ms + 3_600_000, zone);
  const isAgain = again.iso.slice(11, 16) === arrives && again.ms > departureMs;
  return isAgain ? again : clock.fromLocal(`${addDays(day, 1)}T${arrives}`, zone);
}

function isPlausible(arrivalMs: number, departureMs: number): boolean {
  return arrivalMs > departureMs && arrivalMs - departureMs < 2 * 86_400_000;
}
