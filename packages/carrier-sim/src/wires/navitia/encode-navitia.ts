import { europeanOperators } from '../../timetable/europe/carriers.ts';
import type { EuropeanOperator } from '../../timetable/europe/lines.ts';
import { describeRun, shortestChange } from '../../timetable/europe/run-details.ts';
import { localTimeAt } from '../../timetable/local-clock.ts';
import type { CarrierSimId } from '../../timetable/sim-carriers.ts';
import type { Train, TrainRun } from '../../timetable/train.ts';
import { changeMs, lateMs as delayOf, partsOf, runsOf, type Walks } from '../trip-times.ts';
import { disruptionLinks, noteLinks, notesOfAll, statusOf } from './navitia-notes.ts';
import {
  addressPlace,
  areaPlace,
  type NavitiaCodes,
  pointPlace,
  regionZone,
  stopPoint,
} from './navitia-places.ts';

/** Options for writing an answer of Navitia. */
export interface NavitiaEncoding {
  /** Timetable of the answer. `realtime`: late trains have both times, and cancelled ones are not in it. Default `base_schedule`. */
  readonly freshness?: 'base_schedule' | 'realtime' | undefined;
  /** Carrier whose fares are written. Default `navitia`. */
  readonly seller?: CarrierSimId | undefined;
  /** Codes of stations: `older` ones have another type and other ids. Default `uic`. */
  readonly codes?: NavitiaCodes | undefined;
  /** Walks to and from addresses. Default: none. */
  readonly walks?: Walks | undefined;
  /** True if trains run only when they were booked. Default false. */
  readonly onDemand?: boolean | undefined;
  /** True if the answer names the zone of its region. Default true. */
  readonly namesZone?: boolean | undefined;
  /** Links of the answer, such as those to other pages. Default: none. */
  readonly links?: readonly object[] | undefined;
}

interface Style extends Pick<NavitiaEncoding, 'walks' | 'onDemand'> {
  readonly freshness: NonNullable<NavitiaEncoding['freshness']>;
  readonly codes: NavitiaCodes;
  readonly seller: CarrierSimId;
}

/** A section before it has its id. */
type Section = Readonly<Record<string, unknown>>;

const minuteMs = 60_000;
/** Grams of CO2 of a train in a minute, for each traveller. */
const gramsPerMinute = 10.5;
const bookingRule = {
  name: 'On demand',
  message: 'Book by telephone',
  phone_number: '00 1 234',
  info_url: '',
  booking_url: '',
  applies_on: ['departure'],
};

/**
 * Returns the answer of a server of Navitia to a question for journeys. Times are on the clocks of the region, without an offset.
 *
 * @throws RangeError when no network has a station.
 */
export function encodeNavitia(trains: readonly Train[], options: NavitiaEncoding = {}): string {
  const { freshness = 'base_schedule', codes = 'uic', seller = 'navitia' } = options;
  const { walks, onDemand, namesZone = true, links = [] } = options;
  const style: Style = { freshness, codes, seller, walks, onDemand };
  const running = trains.filter((train) => freshness === 'base_schedule' || runs(train));
  const parts = running.flatMap((train) => runsOf(train).flatMap(partsOf));
  return JSON.stringify({
    feed_publishers: [{ id: 'simulated', name: 'Simulated timetable', url: '', license: '' }],
    links,
    journeys: running.map((train, index) => journeyOf(train, index, style)),
    tickets: running.flatMap((train, index) => ticketsOf(train, index, style)),
    ...notesOfAll(parts),
    exceptions: [],
    context: {
      ...(namesZone && { timezone: regionZone }),
      current_datetime: '20260101T000000',
      car_direct_path: { co2_emission: { value: 0, unit: '' } },
    },
  });
}

/** Returns an answer that has an error in place of journeys. */
export function encodeNavitiaError(id: string, message: string): string {
  return JSON.stringify({ error: { id, message }, links: [] });
}

function runs(train: Train): boolean {
  return runsOf(train).every(({ cancelled }) => !cancelled);
}

function journeyOf(train: Train, index: number, style: Style): object {
  const all = runsOf(train);
  const [first, last] = [all[0], all.at(-1) ?? all[0]];
  const { walks, codes } = style;
  const startMs = first.departureMs + lateMs(first, style);
  const endMs = last.arrivalMs + lateMs(last, style);
  const sections: Section[] = all.flatMap((run, place) => {
    const before = all[place - 1];
    const rides = partsOf(run).flatMap((part, section, parts) => {
      const stayed = parts[section - 1];
      const ride = rideOf(part, style);
      return stayed === undefined ? [ride] : [stayOf(stayed, part, style), ride];
    });
    return before === undefined ? rides : [...changeOf(before, run, style), ...rides];
  });
  const [beforeMs, afterMs] = [walks?.before ?? 0, walks?.after ?? 0].map(
    (one) => one * minuteMs,
  ) as [number, number];
  const atOrigin = pointPlace(first.origin, codes);
  const atDestination = pointPlace(last.destination, codes);
  const from = beforeMs > 0 ? addressPlace(first.origin) : areaPlace(first.origin, codes);
  const to = afterMs > 0 ? addressPlace(last.destination) : areaPlace(last.destination, codes);
  const ends: readonly [Section, Section] = [
    walkOf({ from, to: atOrigin, atMs: startMs - beforeMs, ms: beforeMs }),
    walkOf({ from: atDestination, to, atMs: endMs, ms: afterMs }),
  ];
  const seconds = (endMs + afterMs - startMs + beforeMs) / 1000;
  return {
    type: index === 0 ? 'best' : 'rapid',
    status: statusOf(all.flatMap(partsOf)),
    tags: ['walking', 'ecologic'],
    nb_transfers: all.length - 1,
    duration: seconds,
    durations: { total: seconds, walking: (beforeMs + afterMs) / 1000, bike: 0, car: 0, taxi: 0 },
    requested_date_time: timeOf(startMs - beforeMs),
    departure_date_time: timeOf(startMs - beforeMs),
    arrival_date_time: timeOf(endMs + afterMs),
    fare: fareOf(train, index, style),
    co2_emission: co2Of(all.reduce((sum, run) => sum + minutesOf(run), 0)),
    links: [],
    sections: [ends[0], ...sections, ends[1]].map((section, place) => ({
      id: `section_${index}_${place}`,
      ...section,
    })),
  };
}

function lateMs(run: TrainRun, { freshness }: Style): number {
  return freshness === 'realtime' ? delayOf(run) : 0;
}

function minutesOf({ departureMs, arrivalMs }: TrainRun): number {
  return (arrivalMs - departureMs) / minuteMs;
}

function co2Of(minutes: number): object {
  return { value: minutes * gramsPerMinute, unit: 'gEC' };
}

interface Walk {
  readonly from: object;
  readonly to: object;
  readonly atMs: number;
  readonly ms: number;
}

/** A way of no time is no street. */
function walkOf({ from, to, atMs, ms }: Walk): Section {
  return {
    type: ms > 0 ? 'street_network' : 'crow_fly',
    mode: 'walking',
    ...timesOf(atMs, atMs + ms),
    from,
    to,
    links: [],
    co2_emission: { value: 0, unit: '' },
  };
}

function timesOf(fromMs: number, toMs: number): Section {
  return {
    departure_date_time: timeOf(fromMs),
    arrival_date_time: timeOf(toMs),
    duration: (toMs - fromMs) / 1000,
  };
}

/** A change is the way, and the time that is left. */
function changeOf(before: TrainRun, after: TrainRun, style: Style): readonly Section[] {
  const fromMs = before.arrivalMs + lateMs(before, style);
  const toMs = Math.max(fromMs, after.departureMs + lateMs(after, style));
  const planned = Math.min(changeMs(before, after), shortestChange(before, after) * minuteMs);
  const wayMs = Math.min(planned, toMs - fromMs);
  const way = {
    type: 'transfer',
    transfer_type: 'walking',
    ...timesOf(fromMs, fromMs + wayMs),
    from: pointPlace(before.destination, style.codes),
    to: pointPlace(after.origin, style.codes),
    links: [],
    co2_emission: { value: 0, unit: '' },
  };
  const rest = { type: 'waiting', ...timesOf(fromMs + wayMs, toMs), links: [] };
  return toMs - fromMs > wayMs ? [way, rest] : [way];
}

/** Two servers write a stay in the train in two ways. */
function stayOf(before: TrainRun, after: TrainRun, style: Style): Section {
  const at = pointPlace(after.origin, style.codes);
  const isOwnType = Math.floor(Number(after.number) / 2) % 2 === 0;
  return {
    ...(isOwnType ? { type: 'stay_in' } : { type: 'transfer', transfer_type: 'stay_in' }),
    ...timesOf(before.arrivalMs + lateMs(before, style), after.departureMs + lateMs(after, style)),
    from: at,
    to: at,
    links: [],
  };
}

function rideOf(run: TrainRun, style: Style): Section {
  const { codes, freshness, onDemand } = style;
  const { departureMs, arrivalMs } = run;
  const late = lateMs(run, style);
  const { name = '' } = europeanOperators[run.operator as EuropeanOperator] ?? {};
  return {
    type: onDemand ? 'on_demand_transport' : 'public_transport',
    data_freshness: late > 0 ? freshness : 'base_schedule',
    ...timesOf(departureMs + late, arrivalMs + late),
    base_departure_date_time: timeOf(departureMs),
    base_arrival_date_time: timeOf(arrivalMs),
    from: pointPlace(run.origin, codes),
    to: pointPlace(run.destination, codes),
    additional_informations: [onDemand ? 'odt_with_stop_time' : 'regular'],
    ...(onDemand && { booking_rule: bookingRule }),
    display_informations: {
      commercial_mode: run.brand,
      physical_mode: 'Train grande vitesse',
      network: name,
      headsign: run.number,
      ...(codes === 'uic' && { trip_short_name: run.number }),
      code: '',
      label: '',
      name: '',
      direction: '',
      description: '',
      color: '000000',
      text_color: 'FFFFFF',
      equipments: [],
      links: disruptionLinks(run),
    },
    links: [
      { type: 'vehicle_journey', id: `vehicle_journey:SIM:${run.date}:${run.number}` },
      { type: 'commercial_mode', id: `commercial_mode:${run.brand}` },
      { type: 'physical_mode', id: 'physical_mode:LongDistanceTrain' },
      { type: 'network', id: `network:SIM:${run.operator ?? ''}` },
      ...noteLinks(run),
    ],
    co2_emission: co2Of(minutesOf(run)),
    stop_date_times: callsOf(run, style),
  };
}

/** Every stop of a ride, its ends too. */
function callsOf(run: TrainRun, style: Style): readonly object[] {
  const { origin, destination, departureMs, arrivalMs } = run;
  const { stops } = describeRun(run);
  const late = lateMs(run, style);
  return [
    { station: origin, arrivalMs: departureMs, departureMs },
    ...stops,
    { station: destination, arrivalMs, departureMs: arrivalMs },
  ].map((stop) => ({
    stop_point: stopPoint(stop.station, style.codes),
    additional_informations: [],
    links: [],
    arrival_date_time: timeOf(stop.arrivalMs + late),
    departure_date_time: timeOf(stop.departureMs + late),
    base_arrival_date_time: timeOf(stop.arrivalMs),
    base_departure_date_time: timeOf(stop.departureMs),
  }));
}

/** Prices are decimals of hundredths; where none was found there is a total of nothing. */
function fareOf(train: Train, index: number, style: Style): object {
  const fare = fareFor(train, style);
  if (fare === undefined) return { found: false, total: { value: '0.0' }, links: [] };
  const link = { id: ticketId(index), type: 'ticket', rel: 'tickets', internal: true };
  return {
    found: true,
    total: { value: `${fare.cents}.0`, currency: 'centime' },
    links: [{ ...link, templated: false }],
  };
}

function ticketsOf(train: Train, index: number, style: Style): readonly object[] {
  const fare = fareFor(train, style);
  if (fare === undefined) return [];
  const cost = { value: `${fare.cents}.0`, currency: 'centime' };
  const ticket = {
    id: ticketId(index),
    name: fare.name,
    comment: '',
    found: true,
    cost,
    links: [],
  };
  return [ticket];
}

function fareFor({ fares }: Train, style: Style): Train['fares'][number] | undefined {
  return fares.find(({ seller }) => seller === style.seller);
}

function ticketId(index: number): string {
  return `ticket_${index}`;
}

/** Writes an instant on the clocks of the region, `20261201T070000`. */
function timeOf(ms: number): string {
  return localTimeAt(ms, regionZone).timestamp.slice(0, 19).replace(/[-:]/g, '');
}
