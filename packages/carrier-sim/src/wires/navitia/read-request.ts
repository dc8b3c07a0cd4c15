import { isCalendarDate, localDay } from '../../timetable/local-clock.ts';
import { regionZone, uicOfStopArea } from './navitia-places.ts';

/** A question for journeys. */
export interface NavitiaRequest {
  readonly origin: string;
  readonly destination: string;
  readonly atMs: number;
  readonly by: 'departure' | 'arrival';
  readonly freshness: 'base_schedule' | 'realtime';
  readonly least: number;
  /** Seconds in which all journeys are wanted. */
  readonly timeframe: number;
  readonly maxTransfers: number;
}

/** A refusal, as a server answers it. */
export interface NavitiaRefusal {
  readonly status: number;
  readonly id: string;
  readonly message: string;
}

const parameters: readonly string[] = [
  ...['from', 'to', 'datetime', 'datetime_represents', 'data_freshness', 'direct_path'],
  ...['min_nb_journeys', 'max_nb_journeys', 'count', 'max_nb_transfers', 'timeframe_duration'],
  ...[
    'disable_geojson',
    'disable_disruption',
    'depth',
    'first_section_mode[]',
    'last_section_mode[]',
  ],
];
const DATE_TIME = /^(\d{4})-?(\d\d)-?(\d\d)T(\d\d):?(\d\d)(?::?(\d\d))?(Z|[+-]\d\d:?\d\d)?$/;
const choices: Readonly<Record<string, readonly string[]>> = {
  datetime_represents: ['departure', 'arrival'],
  data_freshness: ['base_schedule', 'realtime', 'adapted_schedule'],
  direct_path: ['indifferent', 'none', 'only', 'only_with_alternatives'],
  disable_geojson: ['true', 'false'],
  disable_disruption: ['true', 'false'],
};
/** Whole numbers of parameters: the least, and the most. */
const counts: Readonly<Record<string, readonly [least: number, most: number]>> = {
  min_nb_journeys: [0, 1000],
  max_nb_journeys: [1, 1000],
  count: [0, 1000],
  max_nb_transfers: [0, 42],
  timeframe_duration: [0, 86_400],
  depth: [0, 3],
};

/** Returns whether a request was refused. */
export function isRefusal(value: object): value is NavitiaRefusal {
  return 'status' in value;
}

/**
 * Reads the parameters of a question. Servers ignore a parameter that they do not know; this one refuses it, so that no client is
 * right by luck.
 */
export function readRequest(
  query: URLSearchParams,
  nowMs: number,
): NavitiaRequest | NavitiaRefusal {
  const unknown = [...query.keys()].find((name) => !parameters.includes(name));
  if (unknown !== undefined) return wrong(unknown);
  for (const [name, known] of Object.entries(choices)) {
    const value = query.get(name);
    if (value !== null && !known.includes(value)) return wrong(name);
  }
  const numbers: Record<string, number | undefined> = {};
  for (const [name, [least, most]] of Object.entries(counts)) {
    const value = query.get(name);
    if (value === null) continue;
    const number = /^\d{1,6}$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= least && number <= most)) return wrong(name);
    numbers[name] = number;
  }
  const [origin, destination] = (['from', 'to'] as const).map((name) => {
    const id = query.get(name);
    return id === null ? undefined : (uicOfStopArea(id) ?? '');
  });
  if (origin === undefined || destination === undefined) return wrong('from and to');
  if (origin === '') return unknownObject(query.get('from'));
  if (destination === '') return unknownObject(query.get('to'));
  const datetime = query.get('datetime');
  const atMs = datetime === null ? nowMs : readDateTime(datetime);
  if (atMs === undefined) return wrong('datetime');
  return {
    origin,
    destination,
    atMs,
    by: query.get('datetime_represents') === 'arrival' ? 'arrival' : 'departure',
    freshness: query.get('data_freshness') === 'realtime' ? 'realtime' : 'base_schedule',
    least: numbers['count'] ?? numbers['min_nb_journeys'] ?? 1,
    timeframe: numbers['timeframe_duration'] ?? 0,
    maxTransfers: numbers['max_nb_transfers'] ?? 10,
  };
}

/** Reads a time: with its offset, or on the clocks of the region. */
function readDateTime(text: string): number | undefined {
  const [, year, month, day, hour, minute, second = '00', offset] = DATE_TIME.exec(text) ?? [];
  const date = `${year}-${month}-${day}`;
  if (!isCalendarDate(date) || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) {
    return undefined;
  }
  if (offset === undefined) {
    const ms = localDay(date, regionZone).msAt(Number(hour) * 60 + Number(minute));
    return ms === undefined ? undefined : ms + Number(second) * 1000;
  }
  const zone = offset === 'Z' ? 'Z' : `${offset.slice(0, 3)}:${offset.slice(-2)}`;
  return Date.parse(`${date}T${hour}:${minute}:${second}${zone}`);
}

function wrong(name: string): NavitiaRefusal {
  return { status: 400, id: 'unknown_object', message: `Invalid arguments ${name}` };
}

function unknownObject(id: string | null): NavitiaRefusal {
  return { status: 404, id: 'unknown_object', message: `Invalid id : ${id}` };
}
