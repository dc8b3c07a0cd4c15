import type { SearchQuery, Station } from '@ticketing/core';

/** A query for a day that lies ahead. */
export function searchQuery(): SearchQuery {
  const station = (id: string, name: string): Station => ({
    id,
    name,
    zone: 'Europe/Madrid',
    country: 'ES',
    latitude: 40,
    longitude: -3,
    codes: {},
  });
  const inAWeek = new Date(Date.now() + 7 * 24 * 3_600_000);
  return {
    origin: station('uic:1', 'Madrid'),
    destination: station('uic:2', 'Barcelona'),
    date: inAWeek.toISOString().slice(0, 10),
  };
}
