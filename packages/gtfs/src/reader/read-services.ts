import type { ServiceTable } from '../feed/feed.ts';
import { owned, readDay } from '../files/field-values.ts';
import { readRows } from '../files/read-rows.ts';
import type { Reading } from '../files/reading.ts';

const CALENDAR = 'calendar.txt';
const DATES = 'calendar_dates.txt';

/** Services, and their rows by id. */
export interface Services extends ServiceTable {
  readonly rowOf: ReadonlyMap<string, number>;
}

const calendarColumns = {
  required: [
    'service_id',
    'monday',
    'tuesday',
    'wednesday',
    'thursday',
    'friday',
    'saturday',
    'sunday',
    'start_date',
    'end_date',
  ],
  optional: [],
};
const dateColumns = { required: ['service_id', 'date', 'exception_type'], optional: [] };

/** Reads the calendar and its exceptions. A feed may have either of both files. */
export async function readServices(reading: Reading): Promise<Services> {
  const rowOf = new Map<string, number>();
  const firstDays: number[] = [];
  const lastDays: number[] = [];
  const weekdays: number[] = [];
  const added = new Map<number, number[]>();
  const removed = new Map<number, number[]>();

  function add(id: string, { first, last, days }: { first: number; last: number; days: number }) {
    rowOf.set(owned(id), firstDays.length);
    firstDays.push(first);
    lastDays.push(last);
    weekdays.push(days);
  }

  const onCalendar = (values: readonly string[]): string | undefined => {
    const id = values[0] as string;
    const first = readDay(values[8] as string);
    const last = readDay(values[9] as string);
    if (id === '') return 'without an id';
    if (rowOf.has(id)) return 'with the id of another';
    if (first === undefined || last === undefined) {
      return 'with a date that cannot be read';
    }
    let days = 0;
    for (let day = 0; day < 7; day++) if (values[day + 1] === '1') days |= 1 << day;
    add(id, { first, last, days });
    return undefined;
  };
  const onDate = ([id = '', date = '', type = '']: readonly string[]): string | undefined => {
    const day = readDay(date);
    const byDay = type === '1' ? added : type === '2' ? removed : undefined;
    if (id === '') return 'without an id';
    if (day === undefined) return 'with a date that cannot be read';
    if (byDay === undefined) return 'with an unknown type';
    if (!rowOf.has(id)) add(id, { first: 0, last: -1, days: 0 });
    const list = byDay.get(day) ?? [];
    byDay.set(day, list);
    list.push(rowOf.get(id) as number);
    return undefined;
  };
  if (reading.files.has(CALENDAR)) {
    await readRows(reading, CALENDAR, { columns: calendarColumns, onRow: onCalendar });
  }
  if (reading.files.has(DATES))
    await readRows(reading, DATES, { columns: dateColumns, onRow: onDate });
  return {
    rowOf,
    firstDays: Int32Array.from(firstDays),
    lastDays: Int32Array.from(lastDays),
    weekdays: Uint8Array.from(weekdays),
    added,
    removed,
  };
}
