import { showValue } from '@ticketing/kit';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const MAX_ZONES = 512;
const MAX_INSTANTS = 4096;

/** Offsets of one zone from UTC, in milliseconds, cached. */
export interface ZoneOffsets {
  /** Offset at the start of a UTC day, counted from the epoch. */
  atDay(day: number): number;
  /**
   * Offset at an instant. A UTC day that starts and ends with one offset keeps it; in the others the
   * minute tells: Newfoundland changed its clocks at 00:01 until 2011, so a quarter of an hour would not do.
   */
  at(ms: number): number;
  /** An instant as RFC 9557 text in this zone: `'2026-12-01T06:15:00+01:00[Europe/Madrid]'`. */
  iso(ms: number): string;
}

/**
 * Gives each zone its cached offsets, taken from the runtime's own zone data by `Intl`.
 * Memory is bounded: 512 zones, 4,096 days, minutes and texts each; a full cache starts anew.
 *
 * @throws RangeError for a name that is no IANA zone
 */
export function createZoneCache(): (zone: string) => ZoneOffsets {
  const zones = new Map<string, ZoneOffsets>();
  return (zone) => {
    const known = zones.get(zone);
    if (known) return known;
    const offsets = createZoneOffsets(zone);
    if (zones.size >= MAX_ZONES) zones.clear();
    zones.set(zone, offsets);
    return offsets;
  };
}

function createZoneOffsets(zone: string): ZoneOffsets {
  const format = offsetFormat(zone);
  const byDay = new Map<number, number>();
  const byMinute = new Map<number, number>();
  const texts = new Map<number, string>();
  const offsetAt = (cache: Map<number, number>, key: number, unit: number): number =>
    cached(cache, key, () => readOffset(format.format(key * unit)));
  const atDay = (day: number): number => offsetAt(byDay, day, DAY_MS);
  const at = (ms: number): number => {
    const day = Math.floor(ms / DAY_MS);
    const offset = atDay(day);
    if (offset === atDay(day + 1)) return offset;
    return offsetAt(byMinute, Math.floor(ms / MINUTE_MS), MINUTE_MS);
  };
  return {
    atDay,
    at,
    iso: (ms) => cached(texts, ms, () => `${formatLocal(ms, at(ms))}[${zone}]`),
  };
}

function cached<T>(cache: Map<number, T>, key: number, make: () => T): T {
  const known = cache.get(key);
  if (known !== undefined) return known;
  if (cache.size >= MAX_INSTANTS) cache.clear();
  const made = make();
  cache.set(key, made);
  return made;
}

function offsetFormat(zone: string): Intl.DateTimeFormat {
  try {
    // Intl reads undefined as the zone of the machine.
    if (typeof zone !== 'string') throw new TypeError('no text');
    return new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  } catch {
    throw new RangeError(`Cannot use time zone: an IANA name expected, got ${showValue(zone)}`);
  }
}

/** `'12/1/2026, GMT+01:00'` → 3,600,000; plain `GMT` is 0. */
function readOffset(formatted: string): number {
  const match = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(formatted);
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = match ?? [];
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -ms : ms;
}

function formatLocal(ms: number, offset: number): string {
  const minutes = Math.abs(offset) / 60_000;
  const sign = offset < 0 ? '-' : '+';
  const hh = String(Math.floor(minutes / 60)).padStart(2, '0');
  const mm = String(minutes % 60).padStart(2, '0');
  return `${new Date(ms + offset).toISOString().slice(0, 19)}${sign}${hh}:${mm}`;
}
