// Apart from core's local clock on purpose: a test double must not share code with what it tests.

/** The time zones of the simulated networks. */
export type Zone =
  | 'Europe/Madrid'
  | 'Europe/Lisbon'
  | 'Europe/Paris'
  | 'Europe/London'
  | 'Europe/Zurich'
  | 'Europe/Rome'
  | 'Europe/Vienna'
  | 'Europe/Berlin';

const dayMs = 86_400_000;
const minuteMs = 60_000;

const clockOf = (timeZone: Zone): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
const clocks: Readonly<Record<Zone, Intl.DateTimeFormat>> = {
  'Europe/Madrid': clockOf('Europe/Madrid'),
  'Europe/Lisbon': clockOf('Europe/Lisbon'),
  'Europe/Paris': clockOf('Europe/Paris'),
  'Europe/London': clockOf('Europe/London'),
  'Europe/Zurich': clockOf('Europe/Zurich'),
  'Europe/Rome': clockOf('Europe/Rome'),
  'Europe/Vienna': clockOf('Europe/Vienna'),
  'Europe/Berlin': clockOf('Europe/Berlin'),
};

/** Every offset of these zones begins at a whole quarter of an hour. */
const quarterMs = 15 * minuteMs;
/** A year of quarters. */
const maxOffsets = 35_040;
/** Offsets by zone and quarter of an hour since 1970. */
const offsets = new Map<Zone, Map<number, number>>();

/** Returns how many minutes the clocks of a zone are ahead of UTC at an instant. */
function offsetMinutesAt(ms: number, zone: Zone): number {
  const quarter = Math.floor(ms / quarterMs);
  let known = offsets.get(zone);
  if (known === undefined || known.size >= maxOffsets) {
    known = new Map();
    offsets.set(zone, known);
  }
  const kept = known.get(quarter);
  if (kept !== undefined) return kept;
  const offset = readOffset(ms, zone);
  known.set(quarter, offset);
  return offset;
}

function readOffset(ms: number, zone: Zone): number {
  const [day, month, year, hour, minute] = clocks[zone].format(ms).match(/\d+/g)?.map(Number) ?? [];
  const local = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute);
  return (local - Math.floor(ms / minuteMs) * minuteMs) / minuteMs;
}

/** Reading of the clocks of a zone at an instant. */
export interface LocalTime {
  /** `2026-12-01` */
  readonly date: string;
  /** `06:15` */
  readonly time: string;
  /** `2026-12-01T06:15:00+01:00` (RFC 3339) */
  readonly timestamp: string;
}

/** Returns what the clocks of a zone show at an instant. */
export function localTimeAt(ms: number, zone: Zone): LocalTime {
  const offset = offsetMinutesAt(ms, zone);
  const text = new Date(ms + offset * minuteMs).toISOString();
  const hours = String(Math.trunc(offset / 60)).padStart(2, '0');
  const minutes = String(offset % 60).padStart(2, '0');
  return {
    date: text.slice(0, 10),
    time: text.slice(11, 16),
    timestamp: `${text.slice(0, 19)}+${hours}:${minutes}`,
  };
}

/** One calendar day on the clocks of one zone. */
export interface LocalDay {
  /** Returns the instant at which the clocks show a minute of the day: the earlier of two, `undefined` if they skip it. */
  msAt(minuteOfDay: number): number | undefined;
}

/** Returns a calendar day. The zone's offset is looked up twice, and per minute only on a day that changes it. */
export function localDay(date: string, zone: Zone): LocalDay {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  const before = offsetMinutesAt(midnight - dayMs / 2, zone);
  const after = offsetMinutesAt(midnight + 1.5 * dayMs, zone);
  return {
    msAt(minuteOfDay) {
      const wall = midnight + minuteOfDay * minuteMs;
      const candidates =
        before === after ? [before] : [Math.max(before, after), Math.min(before, after)];
      for (const offset of candidates) {
        const ms = wall - offset * minuteMs;
        if (before === after || offsetMinutesAt(ms, zone) === offset) return ms;
      }
      return undefined;
    },
  };
}

/** Returns the day that is some days after (negative: before) a day. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);
}

/** Returns whether a value is the text of a day that exists, `2026-12-01`. */
export function isCalendarDate(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const ms = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(value);
}

/** Returns the days from one to another, both included; none if the second is before the first. */
export function datesBetween(first: string, last: string): readonly string[] {
  const days = (Date.parse(last) - Date.parse(first)) / dayMs + 1;
  return Array.from({ length: Math.max(0, days) }, (_, day) =>
    new Date(Date.parse(first) + day * dayMs).toISOString().slice(0, 10),
  );
}
