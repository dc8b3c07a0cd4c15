import type { LocalClock } from '@ticketing/core';
import type { Feed } from '../feed/feed.ts';
import { activeServices } from '../feed/service-days.ts';
import { dateOf } from '../files/field-values.ts';

const DAY_SECONDS = 86_400;
const HALF_DAY_MS = 43_200_000;

/** Time that a search looks at. Epoch ms. */
export interface ScanWindow {
  readonly startMs: number;
  readonly endMs: number;
}

/** The connections of one service day in one zone, those within the window. */
export interface Stream {
  /** Days since 1970-01-01. */
  readonly day: number;
  /** Seconds from the start of the window to noon minus 12 hours of the day: add the times of the timetable. */
  readonly base: number;
  /** 1 for each service that runs on the day. */
  readonly active: Uint8Array;
  /** First connection, and the one after the last. */
  readonly first: number;
  readonly end: number;
}

/**
 * Returns the service days whose connections depart within the window: trips that pass midnight belong to a day before it. A day counts
 * from noon minus 12 hours, which on days of clock changes is not midnight.
 */
export function openStreams(
  feed: Feed,
  { startMs, endMs }: ScanWindow,
  clock: LocalClock,
): Stream[] {
  const { zones, firstOfZone, departures } = feed.connections;
  const streams: Stream[] = [];
  for (const [zone, name] of zones.entries()) {
    const [from, until] = [firstOfZone[zone] as number, firstOfZone[zone + 1] as number];
    if (from === until) continue;
    const longest = departures[until - 1] as number;
    const firstDay = Math.floor(startMs / 86_400_000 - longest / DAY_SECONDS) - 1;
    const lastDay = Math.floor(endMs / 86_400_000) + 1;
    for (let day = firstDay; day <= lastDay; day++) {
      const baseMs = clock.epoch(`${dateOf(day)}T12:00`, name) - HALF_DAY_MS;
      const base = Math.floor((baseMs - startMs) / 1000);
      const first = firstFrom(departures, { from, until }, -base);
      const end = firstFrom(
        departures,
        { from, until },
        Math.ceil((endMs - startMs) / 1000) - base,
      );
      if (first >= end) continue;
      const active = activeServices(feed.services, day);
      if (active.includes(1)) streams.push({ day, base, active, first, end });
    }
  }
  return streams;
}

/** Returns the first connection that departs at a time or later. */
function firstFrom(
  departures: Int32Array,
  { from, until }: { readonly from: number; readonly until: number },
  seconds: number,
): number {
  let [low, high] = [from, until];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((departures[middle] as number) < seconds) low = middle + 1;
    else high = middle;
  }
  return low;
}
