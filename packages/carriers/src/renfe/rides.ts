import {
  addDays,
  type CarrierQuery,
  type Leg,
  type LocalClock,
  type Remark,
  type RideLeg,
  type TimeAt,
} from '@ticketing/core';
import type { CarrierDecoder } from '../wire/decoder.ts';
import {
  type JourneyDecoder,
  LeftOut,
  type NamedStation,
  type WirePlace,
} from '../wire/read-journeys.ts';
import { listRemarks, remarkOf } from '../wire/remarks.ts';
import type { WireReader, WireRecord } from '../wire/wire-reader.ts';

/** Renfe's search joins two trains at most. */
const MAX_TRAINS = 2;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Reads the train of an entry, or its two trains with the change between them. */
export function readLegs(decoder: JourneyDecoder, entry: WireRecord, query: CarrierQuery): Leg[] {
  const { read } = decoder;
  const trains = read.records(entry['trayectos'], 'trayectos');
  const [first, second] = trains;
  if (trains.length > MAX_TRAINS) throw new LeftOut('of more than two trains');
  if (second === undefined) {
    if (first === undefined && !read.isTrue(entry, 'directo')) throw new LeftOut('without a train');
    return [directRide(decoder, query, entry, first)];
  }
  return changeOf(decoder, entry, first as WireRecord, second);
}

/** One train: the entry itself has its times and its stations. A train that the answer does not number runs nonetheless. */
function directRide(
  decoder: JourneyDecoder,
  query: CarrierQuery,
  entry: WireRecord,
  train: WireRecord = {},
): RideLeg {
  const { read } = decoder;
  const minutes = read.optionalNumber(entry, 'duracionViajeTotalEnMinutos');
  return rideOf(decoder, {
    train,
    times: timesOf(entry, train),
    brand: brandOf(read, entry, 'tipoTrenUno', train),
    from:
      placeAt(decoder, entry, 'codigoEstacionOrigen', 'descripcionEstacionOrigen') ?? query.origin,
    to:
      placeAt(decoder, entry, 'codigoEstacionDestino', 'descripcionEstacionDestino') ??
      query.destination,
    cancelled: notRunning.includes(entry['razonNoDisponible']),
    minutes: minutes ?? runningMinutes(read, train),
  });
}

/** Two trains and the change between them, which may lead to another station: each train has its times and stations. */
function changeOf(
  decoder: JourneyDecoder,
  entry: WireRecord,
  first: WireRecord,
  second: WireRecord,
): Leg[] {
  const { read } = decoder;
  const day = read.optionalText(entry, 'fecha');
  const ride = (
    brand: string,
    train: WireRecord,
    more: Pick<RidePlan, 'minutes' | 'sinceMs' | 'notBeforeMs'>,
  ): RideLeg =>
    rideOf(decoder, {
      train,
      times: timesOf(train, { fecha: day }),
      brand: brandOf(read, entry, brand, train),
      from: trainPlace(decoder, train, 'Origen'),
      to: trainPlace(decoder, train, 'Destino'),
      ...more,
    });
  const before = ride('tipoTrenUno', first, { minutes: runningMinutes(read, first) });
  const own = runningMinutes(read, second);
  const after = ride('tipoTrenDos', second, {
    notBeforeMs: before.arrival.ms,
    minutes: own ?? read.optionalNumber(entry, 'duracionViajeTotalEnMinutos'),
    sinceMs: own === undefined ? before.departure.ms : undefined,
  });
  const minutes = Math.round((after.departure.ms - before.arrival.ms) / MINUTE_MS);
  return [
    before,
    { kind: 'transfer', origin: before.destination, destination: after.origin, minutes },
    after,
  ];
}

function trainPlace(
  decoder: JourneyDecoder,
  train: WireRecord,
  end: 'Origen' | 'Destino',
): WirePlace {
  const field = `cdgoEstacion${end}Trayecto`;
  const place = placeAt(decoder, train, field, `descripcionEstacion${end}`);
  if (place === undefined) throw new LeftOut(`without \`${field}\``);
  return place;
}

/** Stations of France and Portugal have codes of their own, which do not imply the zone. */
const ABROAD = /^(?:87|94)\d{3}$/;

/** Returns the station at a field, `undefined` without a code. One that no table has is where Renfe runs, under the name of the answer. */
function placeAt(
  decoder: JourneyDecoder,
  record: WireRecord,
  field: string,
  nameField: string,
): WirePlace | undefined {
  const code = record[field] ?? undefined;
  if (code === undefined || code === '') return undefined;
  const name = decoder.read.optionalText(record, nameField);
  const wire: NamedStation | undefined = ABROAD.test(String(code))
    ? undefined
    : { name, zone: 'Europe/Madrid' };
  return decoder.station(record, field, wire);
}

function brandOf(
  read: WireReader,
  entry: WireRecord,
  field: string,
  train: WireRecord,
): string | undefined {
  return read.optionalText(entry, field) ?? read.optionalText(train, 'tipoTren');
}

/** The times of an entry, or where it lacks one that of its train. */
function timesOf(entry: WireRecord, train: WireRecord): WireRecord {
  return {
    fecha: entry['fecha'] ?? train['fecha'],
    horaSalida: entry['horaSalida'] ?? train['horaSalida'],
    horaLlegada: entry['horaLlegada'] ?? train['horaLlegada'],
  };
}

/** Codes of the shop for a train that does not run. */
const notRunning: readonly unknown[] = ['5', '6', '7'];

const RUNNING_TIME = /^(?:(\d{1,3}) horas?)?\s?(?:(\d{1,3}) minutos?)?$/;

/** Reads `3 horas 8 minutos`; `undefined` for any other text. */
function runningMinutes(read: WireReader, train: WireRecord): number | undefined {
  const [all, hours = '0', minutes = '0'] =
    RUNNING_TIME.exec(read.optionalText(train, 'duracionTrayecto') ?? '') ?? [];
  return all ? Number(hours) * 60 + Number(minutes) : undefined;
}

/** One train, and where its fields are. */
interface RidePlan extends TimesPlan {
  readonly train: WireRecord;
  readonly brand: string | undefined;
  readonly cancelled?: boolean;
}

function rideOf(decoder: CarrierDecoder, plan: RidePlan): RideLeg {
  const { departure, arrival } = readLocalTimes(decoder, plan);
  const number = decoder.trainNumber(plan.train, 'cdgoTren');
  const remarks = incidentsOf(plan.train);
  return {
    kind: 'ride',
    origin: plan.from.id,
    destination: plan.to.id,
    departure,
    arrival,
    ...(plan.brand !== undefined && { brand: plan.brand }),
    ...(number !== undefined && { number }),
    operator: 'renfe',
    operatingDay: decoder.read.text(plan.times, 'fecha'),
    ...(remarks && { remarks }),
    ...(plan.cancelled === true && { cancelled: true as const }),
  };
}

/** The notices of one train. Most are of facilities, and no code is known to be of a disruption. */
function incidentsOf({ lstIncidencias }: WireRecord): readonly Remark[] | undefined {
  if (!Array.isArray(lstIncidencias) || lstIncidencias.length === 0) return undefined;
  return listRemarks(
    lstIncidencias.map((one) => {
      const { description, cdgoInc } = Object(one) as WireRecord;
      return remarkOf({ kind: 'info', texts: [description], code: cdgoInc });
    }),
  );
}

/** Returns the notices of a whole journey: why its train does not run, and that the change is between stations. */
export function noticesOf(entry: WireRecord): readonly Remark[] | undefined {
  const { msgTrenNoDispo, msgCambioEstacionTransbordo, razonNoDisponible } = entry;
  // Most journeys have neither.
  if (!msgTrenNoDispo && !msgCambioEstacionTransbordo) return undefined;
  const kind = notRunning.includes(razonNoDisponible) ? 'disruption' : 'info';
  return listRemarks([
    remarkOf({ kind, texts: [msgTrenNoDispo] }),
    remarkOf({ kind: 'info', texts: [msgCambioEstacionTransbordo] }),
  ]);
}

/** Wall clocks at both ends, and how long a train takes. */
interface TimesPlan {
  /** Holds `fecha`, `horaSalida` and `horaLlegada`: the date of departure only. */
  readonly times: WireRecord;
  readonly from: WirePlace;
  readonly to: WirePlace;
  /** Minutes from `sinceMs` (default: this departure) to this arrival. Default: unknown. */
  readonly minutes?: number | undefined;
  readonly sinceMs?: number | undefined;
  /** A train that is changed into leaves after the one before it arrives. */
  readonly notBeforeMs?: number | undefined;
}

/**
 * Reads departure and arrival. The minutes of the journey decide the day of arrival, and which of two hours is
 * meant when clocks go back. Where they are unknown or do not fit the wall clocks, the clocks alone decide.
 */
function readLocalTimes(
  { read, clock }: CarrierDecoder,
  { times, from, to, minutes, sinceMs, notBeforeMs = Number.NEGATIVE_INFINITY }: TimesPlan,
): { departure: TimeAt; arrival: TimeAt } {
  const { fecha } = times;
  if (fecha === undefined || fecha === null) throw new LeftOut('without `fecha`');
  const day = read.text(times, 'fecha');
  const leaves = `${day}T${timeOfDay(read, times, 'horaSalida')}`;
  const arrives = timeOfDay(read, times, 'horaLlegada');
  const departure = clock.fromLocal(leaves, from.zone);
  const sameDay = clock.fromLocal(`${day}T${arrives}`, to.zone);
  const lasts = ({ ms }: TimeAt, left: TimeAt): boolean =>
    minutes !== undefined && ms - (sinceMs ?? left.ms) === minutes * MINUTE_MS;
  if (lasts(sameDay, departure) && departure.ms >= notBeforeMs)
    return { departure, arrival: sameDay };
  const departures = readingsOf(clock, departure, from.zone);
  const nextDay = clock.fromLocal(`${addDays(day, 1)}T${arrives}`, to.zone);
  const arrivals = [sameDay, nextDay].flatMap((arrival) => readingsOf(clock, arrival, to.zone));
  const possible = departures
    .filter(({ ms }) => ms >= notBeforeMs)
    .flatMap((left) =>
      arrivals.filter(({ ms }) => ms >= left.ms).map((arrival) => ({ departure: left, arrival })),
    );
  return (
    possible.find((pair) => lasts(pair.arrival, pair.departure)) ??
    possible[0] ?? { departure, arrival: sameDay }
  );
}

const TIME_OF_DAY = /^\d{2}:\d{2}(?::\d{2})?$/;

function timeOfDay(read: WireReader, times: WireRecord, name: string): string {
  if (times[name] === undefined || times[name] === null) throw new LeftOut(`without \`${name}\``);
  const text = read.text(times, name);
  if (!TIME_OF_DAY.test(text)) throw read.error(`a time of day at \`${name}\``, text);
  return text;
}

/** Returns a time, and the one an hour later if clocks show it a second time. */
function readingsOf(clock: LocalClock, first: TimeAt, zone: string): readonly TimeAt[] {
  const again = clock.fromEpoch(first.ms + HOUR_MS, zone);
  return again.iso.slice(0, 16) === first.iso.slice(0, 16) ? [first, again] : [first];
}
