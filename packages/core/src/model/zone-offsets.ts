import { showValue } from '@ticketing/kit';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const MAX_ZONES = 512;
const MAX_INSTANTS = 4096;

/** Offsets of one zone from UTC, in milliseconds, cached. */
export interface ZoneOffsets {
  /** Returns the offset at the start of a UTC day, counted from the epoch. */
  atDay(day: number): number;
  /**
   * Returns the offset at an instant. A UTC day that starts and ends with one offset keeps it; on others it
   * is looked up per minute: until 2011 Newfoundland changed its clocks at 00:01, so a quarter of an hour is too coarse.
   */
  at(ms: number): number;
  /** Returns an instant as RFC 9557 text in this zone: `'2026-12-01T06:15:00+01:00[Europe/Madrid]'`. */
  iso(ms: number): string;
}

/**
 * Returns a function that finds a zone's cached offsets, read by `Intl` from the runtime's own zone data.
 * Memory is bounded: 512 zones with 4,096 days, minutes and texts each; a full cache is emptied.
 *
 * @throws RangeError for a name that is not an IANA zone
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
    cache.get(key) ?? keep(cache, key, readOffset(format.format(key * unit)));
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
    iso(ms) {
      // Small integers are found faster than milliseconds.
      const second = Math.floor(ms / 1000);
      return texts.get(second) ?? keep(texts, second, `${formatLocal(ms, at(ms))}[${zone}]`);
    },
  };
}

function keep<T>(cache: Map<number, T>, key: number, value: T): T {
  if (cache.size >= MAX_INSTANTS) cache.clear();
  cache.set(key, value);
  return value;
}

function offsetFormat(zone: string): Intl.DateTimeFormat {
  try {
    // Intl takes undefined for the zone of the machine.
    if (typeof zone !== 'string') throw new TypeError('not a text');
    return new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  } catch {
    throw new RangeError(
      `Cannot use time zone: \`zone\` must be an IANA name, got ${showValue(zone)}`,
    );
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
