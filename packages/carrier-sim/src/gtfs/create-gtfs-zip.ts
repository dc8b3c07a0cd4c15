import { type Filled, type Rule, required, resolveByRules, wholeBetween } from '@ticketing/kit';
import { strToU8, zipSync } from 'fflate';
import {
  type EuropeanLine,
  europeanChanges,
  europeanLines,
  minuteOf,
} from '../timetable/europe/lines.ts';
import { europeanStations } from '../timetable/europe/stations.ts';
import { addDays, isCalendarDate } from '../timetable/local-clock.ts';

/** Options of `createGtfsZip`. */
export interface GtfsZipOptions {
  /** First day of the timetable, `2026-12-01`. */
  readonly from: string;
  /** Days of the timetable, 1 to 400. Default 60. */
  readonly days?: number | undefined;
}

const aDay: Rule = {
  expected: 'a day such as 2026-12-01',
  test: (value) => typeof value === 'string' && isCalendarDate(value),
};
const rules = { from: required(aDay), days: wholeBetween(1, 400, 60) };
const WEEK = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/**
 * Returns the timetable of the European network as a GTFS feed, as its operators would publish it: planned times of every train, ids of
 * stops that are UIC codes, agencies in the zones of the stations where their trains begin, a block for each train that gets another
 * number on the way. The same options give the same bytes.
 *
 * @throws TypeError or RangeError for a wrong option
 * @example
 * const zip = createGtfsZip({ from: '2026-12-01', days: 30 });
 */
export function createGtfsZip(options: GtfsZipOptions): Uint8Array {
  const { from, days } = resolveByRules<Filled<GtfsZipOptions>>('create feed', options, rules);
  const trains = europeanLines.flatMap(trainsOf);
  const agencies = new Map(trains.map(({ agency, ...train }) => [agency, train]));
  const compact = (day: string): string => day.replaceAll('-', '');
  const texts = {
    'agency.txt': table('agency_id,agency_name,agency_url,agency_timezone', [
      ...[...agencies].map(([id, { line, zone }]) => [
        id,
        line.operator.toUpperCase(),
        'https://operators.example',
        zone,
      ]),
    ]),
    'stops.txt': table(
      'stop_id,stop_name,stop_lat,stop_lon,stop_timezone,location_type',
      europeanStations.map(({ uic, name, latitude = '', longitude = '', zone }) => {
        return [uic, name, latitude, longitude, zone, 1];
      }),
    ),
    'routes.txt': table(
      'route_id,agency_id,route_short_name,route_type',
      [...new Map(trains.map((train) => [train.route, train])).values()].map((train) => {
        return [train.route, train.agency, train.line.brand, 2];
      }),
    ),
    'trips.txt': table(
      'route_id,service_id,trip_id,trip_short_name,block_id',
      trains.map(({ route, trip, number, block }) => [route, 'daily', trip, number, block]),
    ),
    'stop_times.txt': table(
      'trip_id,arrival_time,departure_time,stop_id,stop_sequence',
      trains.flatMap(({ trip, calls }) =>
        calls.map(({ uic, arrival, departure }, index) => {
          return [trip, clockText(arrival), clockText(departure), uic, index];
        }),
      ),
    ),
    'calendar.txt': table(`service_id,${WEEK.join()},start_date,end_date`, [
      ['daily', ...WEEK.map(() => 1), compact(from), compact(addDays(from, days - 1))],
    ]),
    'transfers.txt': table(
      'from_stop_id,to_stop_id,transfer_type,min_transfer_time',
      europeanChanges.map((change) => [change.from, change.to, 2, change.shortest * 60]),
    ),
  };
  const files = Object.entries(texts).map(([name, text]) => [name, strToU8(text)]);
  // A fixed time of change, in the range of zips: the bytes depend on the options alone.
  return zipSync(Object.fromEntries(files), { mtime: '2000-01-01T12:00:00' });
}

interface Call {
  readonly uic: string;
  /** Minutes of the service day. */
  readonly arrival: number;
  readonly departure: number;
}

interface FeedTrain {
  readonly line: EuropeanLine;
  readonly zone: string;
  readonly agency: string;
  readonly route: string;
  readonly trip: string;
  readonly number: string;
  readonly block: string;
  readonly calls: readonly Call[];
}

function trainsOf(line: EuropeanLine): readonly FeedTrain[] {
  const length = line.stops.at(-1)?.[1] ?? 0;
  const back = line.stops.map(([uic, minutes]) => [uic, length - minutes] as const).reverse();
  return [
    ...Object.entries(line.outward).flatMap(([number, time]) => {
      return partsOf(line, { number, time, stops: line.stops, isBack: false });
    }),
    ...Object.entries(line.back).flatMap(([number, time]) => {
      return partsOf(line, { number, time, stops: back, isBack: true });
    }),
  ];
}

/** Returns the trips of one train: two, of one block, where it gets another number on the way. */
function partsOf(
  line: EuropeanLine,
  {
    number,
    time,
    stops,
    isBack,
  }: {
    readonly number: string;
    readonly time: string;
    readonly stops: EuropeanLine['stops'];
    readonly isBack: boolean;
  },
): readonly FeedTrain[] {
  const zone = europeanStations.find(({ uic }) => uic === stops[0]?.[0])?.zone as string;
  const agency = `${line.operator}-${zone.slice(zone.indexOf('/') + 1)}`;
  const start = minuteOf(time);
  const route = `${agency}-${line.brand}`;
  const { renumbered } = line;
  const calls = stops.map(([uic, minutes]): Call => {
    const waits = uic === renumbered?.at ? renumbered.minutes : 0;
    return { uic, arrival: start + minutes - waits, departure: start + minutes };
  });
  const shared = { line, zone, agency, route };
  const index = europeanLines.indexOf(line);
  const trip = `${index}-${number}`;
  const at = calls.findIndex(({ uic }) => uic === renumbered?.at);
  if (renumbered === undefined || at < 0) return [{ ...shared, trip, number, block: '', calls }];
  const beyond = String(Number(number) + renumbered.by);
  const [first, second] = isBack ? [beyond, number] : [number, beyond];
  return [
    { ...shared, trip: `${trip}-1`, number: first, block: trip, calls: calls.slice(0, at + 1) },
    { ...shared, trip: `${trip}-2`, number: second, block: trip, calls: calls.slice(at) },
  ];
}

function clockText(minutes: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:00`;
}

function table(columns: string, rows: readonly (readonly (string | number)[])[]): string {
  const cell = (value: string | number): string =>
    /[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value);
  return `${[columns, ...rows.map((row) => row.map(cell).join(','))].join('\n')}\n`;
}
