import type { ServiceTable } from './feed.ts';

/** Returns for each service whether it runs on a day, counted from 1970-01-01: 1 or 0. */
export function activeServices(services: ServiceTable, day: number): Uint8Array {
  const { firstDays, lastDays, weekdays, added, removed } = services;
  const active = new Uint8Array(firstDays.length);
  const bit = 1 << weekdayOf(day);
  for (let row = 0; row < active.length; row++) {
    const isWithin = day >= (firstDays[row] as number) && day <= (lastDays[row] as number);
    if (isWithin && ((weekdays[row] as number) & bit) !== 0) active[row] = 1;
  }
  for (const row of added.get(day) ?? []) active[row] = 1;
  for (const row of removed.get(day) ?? []) active[row] = 0;
  return active;
}

/** Returns 0 for a Monday. 1970-01-01 was a Thursday. */
function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

/** Returns the first and the last day on which a service may run, `undefined` without any. */
export function daysOf(services: ServiceTable): readonly [first: number, last: number] | undefined {
  const { firstDays, lastDays, weekdays, added } = services;
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < firstDays.length; row++) {
    if (weekdays[row] === 0 || (lastDays[row] as number) < (firstDays[row] as number)) continue;
    first = Math.min(first, firstDays[row] as number);
    last = Math.max(last, lastDays[row] as number);
  }
  for (const day of added.keys()) {
    first = Math.min(first, day);
    last = Math.max(last, day);
  }
  return first <= last ? [first, last] : undefined;
}
