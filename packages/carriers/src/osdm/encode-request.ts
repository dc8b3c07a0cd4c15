import type { CarrierQuery, LocalClock, Station } from '@ticketing/core';
import { stationCode } from '../stations/station-table.ts';
import { askedMs } from '../wire/paging/time-pages.ts';
import type { OsdmAsk } from './ask.ts';

/** Names of stations at a provider. */
export interface StationNames {
  readonly namespace: string;
  /** Systems whose codes are in the namespace, the preferred first. */
  readonly systems: readonly string[];
}

interface Names {
  readonly carrier: string;
  readonly codes: StationNames;
}

interface CriteriaContext extends Names {
  readonly clock: LocalClock;
  readonly results: number;
}

/** Age of a traveller without one: the standard requires an age, and at this one fares are for adults everywhere. */
const ADULT_AGE = 35;

/**
 * Returns the criteria of a search for trips.
 *
 * @throws CarrierError `NOT_SERVED` for a station without a code of the provider's systems
 */
export function tripCriteria(
  ask: OsdmAsk,
  { origin, destination, via, maxTransfers }: CarrierQuery,
  { carrier, clock, codes, results }: CriteriaContext,
): object {
  const placeOf = (station: Station): object => placeRef(station, { carrier, codes });
  const { by, direction, known = [] } = ask;
  // The server gives the journeys that are known once more.
  const count = results + known.length;
  const { zone } = by === 'departure' ? origin : destination;
  // With the offset of the stop, and without the name of its zone.
  const [time] = clock.fromEpoch(askedMs(ask), zone).iso.split('[');
  return {
    [by === 'departure' ? 'departureTime' : 'arrivalTime']: time,
    origin: placeOf(origin),
    destination: placeOf(destination),
    ...(via !== undefined && { vias: [{ viaPlace: placeOf(via) }] }),
    parameters: {
      numberOfResultsBefore: direction === 'earlier' ? count : 0,
      numberOfResultsAfter: direction === 'later' ? count : 0,
      ...(maxTransfers !== undefined && { transferLimit: maxTransfers }),
    },
  };
}

/**
 * Returns the reference to a station.
 *
 * @throws CarrierError `NOT_SERVED` for a station without a code of the provider's systems
 */
function placeRef(station: Station, { carrier, codes }: Names): object {
  return { objectType: 'StopPlaceRef', stopPlaceRef: stationUrn(carrier, station, codes) };
}

/** Every stop between the ends of a ride, by the standard's name. Without it there are the ends alone. */
export const ALL_STOPS = 'REAL_BOARDING_ALIGHTING';

/** Trips whose ids an earlier answer has; with the ids of the way back, offers may be for both ways. */
interface KnownTrips {
  readonly tripIds: readonly string[];
  readonly inboundTripIds?: readonly string[];
}

/** Returns the body of a request for offers: for trips that are known, or for the trips of a search. */
export function offersBody(
  trips: KnownTrips | { readonly tripSearchCriteria: object },
  { passengers, travelClass, stops, currency }: CarrierQuery,
): object {
  return {
    ...trips,
    ...(stops && !('tripIds' in trips) && { tripResponseParameters: { stopBehavior: ALL_STOPS } }),
    anonymousPassengerSpecifications: passengersBody(passengers),
    offerSearchCriteria: {
      offerMode: 'COLLECTIVE',
      ...(travelClass !== undefined && { travelClasses: [travelClass.toUpperCase()] }),
      ...(currency !== undefined && { currency }),
    },
    embed: ['tripIds' in trips ? 'OFFERS' : 'ALL'],
  };
}

function passengersBody(passengers: CarrierQuery['passengers']): readonly object[] {
  return passengers.map(({ age = ADULT_AGE, cards }, index) => ({
    externalRef: passengerRef(index),
    type: 'PERSON',
    age,
    ...(cards && { cards: cards.map((code) => ({ code, type: 'REDUCTION_CARD' })) }),
  }));
}

/** Returns the body of a request for the least price of each day, from the first instant of a day to the last minute of another. */
export function overviewBody(
  { origin, destination, passengers, date, calendarUntil = date }: CarrierQuery,
  { clock, ...names }: Omit<CriteriaContext, 'results'>,
): object {
  const at = (local: string): string | undefined =>
    clock.fromLocal(local, origin.zone).iso.split('[')[0];
  return {
    routeSpecification: {
      origin: placeRef(origin, names),
      destination: placeRef(destination, names),
    },
    passengerSpecifications: passengersBody(passengers),
    startDateTime: at(`${date}T00:00`),
    endDateTime: at(`${calendarUntil}T23:59`),
    timeFrameSegmentation: 'DAY',
  };
}

/** Returns the reference of requests and answers to a passenger of the query. */
export function passengerRef(index: number): string {
  return `p${index + 1}`;
}

function stationUrn(
  carrier: string,
  station: Station,
  { namespace, systems }: StationNames,
): string {
  const system = systems.find((one) => Object.hasOwn(station.codes, one)) ?? systems[0];
  return `urn:${namespace}:stn:${stationCode(carrier, station, system)}`;
}
