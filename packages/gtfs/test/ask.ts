import type { Carrier, CarrierAnswer, CarrierQuery, Station } from '@ticketing/core';
import {
  createGtfsCarrier,
  type Feed,
  type GtfsCarrierOptions,
  type GtfsWire,
  type LoadFeed,
} from '../src/index.ts';

/** A station that stops are found by, under the system `stop`. */
export function stationOf(id: string, zone = 'Europe/Madrid'): Station {
  const codes = { stop: id };
  return { id: `own:${id}`, name: id, zone, country: 'ES', latitude: 40, longitude: -3, codes };
}

/** A carrier whose stops are stations by their ids. */
export function carrierOf(
  feed: Feed | LoadFeed,
  options: Partial<GtfsCarrierOptions> = {},
): Carrier<GtfsWire> {
  return createGtfsCarrier({
    id: 'gtfs',
    name: 'GTFS',
    feed,
    codeOf: ({ id }) => ({ system: 'stop', code: id }),
    ...options,
  });
}

type Question = Partial<CarrierQuery> & Pick<CarrierQuery, 'origin' | 'destination' | 'date'>;

/** Asks a carrier as a search does, with a wire that crossed a process. */
export async function ask(
  carrier: Carrier<GtfsWire>,
  question: Question,
  signal: AbortSignal = new AbortController().signal,
): Promise<CarrierAnswer> {
  const query: CarrierQuery = { passengers: [{}], ...question };
  const http = { send: () => Promise.reject(new Error('Timetables need no network')) };
  const context = {
    signal,
    deadline: Number.POSITIVE_INFINITY,
    http,
  };
  const wire = await carrier.request(query, context);
  return carrier.normalise(structuredClone(wire), query);
}

/** The rides of an answer as text: numbers or brands, stations and local times. */
export function shown({ journeys }: CarrierAnswer): readonly string[] {
  return journeys.map(({ legs }) =>
    legs
      .map((leg) => {
        if (leg.kind === 'transfer') return `${leg.minutes} min`;
        const [from, to] = [leg.origin, leg.destination].map((id) => id.slice(id.indexOf(':') + 1));
        const [start, end] = [leg.departure, leg.arrival].map(({ iso }) => iso.slice(5, 25));
        return `${leg.number ?? leg.brand} ${from} ${start} ${to} ${end}`;
      })
      .join(' > '),
  );
}
