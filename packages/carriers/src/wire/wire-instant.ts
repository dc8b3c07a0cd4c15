import type { LocalClock } from '@ticketing/core';

const INSTANT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)(?:\.\d{1,9})?(Z|[+-]\d\d:?\d\d)?$/;

/**
 * Returns the epoch ms of a time of ISO 8601: at its offset, or without one on the clocks of a zone. `undefined` for another text.
 *
 * @throws RailError `ERR_LOCAL_TIME` for a day or a time of day that does not exist
 */
export function wireInstant(clock: LocalClock, text: unknown, zone: string): number | undefined {
  const [, local, offset] = (typeof text === 'string' && INSTANT.exec(text.trim())) || [];
  if (local === undefined) return undefined;
  return offset === undefined
    ? clock.epoch(local, zone)
    : clock.epoch(local, 'UTC') - offsetMs(offset);
}

/** Returns the epoch ms of a time of ISO 8601 with an offset; none for another text, and for a day that does not exist. */
export function instantMs(text: string): number | undefined {
  const [, local = '', offset] = INSTANT.exec(text) ?? [];
  if (offset === undefined) return undefined;
  // `Date.parse` reads a day in nearly every text, and 30 February as 2 March: form and day are checked.
  const ms = Date.parse(`${local}Z`);
  const exists = new Date(ms).getUTCDate() === Number(local.slice(8, 10));
  return exists ? ms - offsetMs(offset) : undefined;
}

function offsetMs(offset: string): number {
  if (offset === 'Z') return 0;
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(-2));
  return (offset.startsWith('-') ? -minutes : minutes) * 60_000;
}
