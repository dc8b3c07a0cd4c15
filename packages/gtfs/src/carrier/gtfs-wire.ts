import type { Place, RideMode } from '@ticketing/core';

/** Journeys of one question, copied from the timetable: plain data. */
export interface GtfsWire {
  readonly journeys: readonly WireJourney[];
  /** Stations of the calls, and the zones in which their times are read. */
  readonly places: readonly Place[];
  /** Names of the operators. */
  readonly operators: Readonly<Record<string, string>>;
}

export interface WireJourney {
  readonly rides: readonly WireRide[];
  /** Way on foot to the first ride, and from the last one, where these are at another station. */
  readonly before: WireWay | undefined;
  readonly after: WireWay | undefined;
}

/** Way between a station of the question and a ride. */
export interface WireWay {
  /** The station, as an index among the places. */
  readonly place: number;
  readonly minutes: number;
}

export interface WireRide {
  /** Trains that people stay in, in turn. */
  readonly parts: readonly WirePart[];
  /** Minutes of the way to the next ride; 0 at the last. */
  readonly changeMinutes: number;
}

export interface WirePart {
  readonly brand: string | undefined;
  readonly number: string | undefined;
  readonly mode: RideMode | undefined;
  readonly operator: string;
  readonly operatingDay: string;
  /** Zone of stations that have none. */
  readonly zone: string;
  /** Both ends, and the stops between them where they are asked for. */
  readonly calls: readonly WireCall[];
}

export interface WireCall {
  /** Index among the places. */
  readonly place: number;
  readonly platform: string;
  /** Epoch ms. */
  readonly arrivalMs: number;
  readonly departureMs: number;
}
