import type { RideMode } from '@ticketing/core';

/** A timetable in memory: columns of whole numbers, and the texts that people read. Immutable: searches share it. */
export interface Feed {
  readonly stops: StopTable;
  readonly agencies: readonly Agency[];
  readonly routes: readonly Route[];
  readonly trips: TripTable;
  readonly stopTimes: StopTimeTable;
  readonly runs: RunTable;
  readonly services: ServiceTable;
  readonly connections: ConnectionTable;
  readonly changes: ChangeTable;
  /** First and last day that a service runs on, `'2026-12-01'`. */
  readonly firstDate: string;
  readonly lastDate: string;
  /** Rows that were left out, by `file: reason`. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** Bytes of the columns. */
  readonly columnBytes: number;
}

/** Columns of stops, by row. */
export interface StopColumns {
  readonly ids: readonly string[];
  readonly codes: readonly string[];
  readonly names: readonly string[];
  /** IANA zone, or an empty text: that of the agency. */
  readonly zones: readonly string[];
  readonly platforms: readonly string[];
  readonly latitudes: Float64Array;
  readonly longitudes: Float64Array;
  /** Row of the station that a stop is a part of; its own without one. */
  readonly stations: Int32Array;
}

/** Stops, and where connections call. */
export interface StopTable extends StopColumns {
  /** Place of the stop in a search: platforms between which a change takes equally long are one. -1: nothing calls there. */
  readonly nodes: Int32Array;
}

export interface Agency {
  readonly id: string;
  readonly name: string;
  /** Index among the zones of the connections. */
  readonly zone: number;
}

export interface Route {
  /** Index among the agencies. */
  readonly agency: number;
  /** Short name, `S8`. */
  readonly brand: string | undefined;
  /** Absent: a train. */
  readonly mode: RideMode | undefined;
}

/** Trips by row: one path of a vehicle. */
export interface TripTable {
  readonly routes: Int32Array;
  readonly services: Int32Array;
  /** Train number, or an empty text. */
  readonly numbers: readonly string[];
  /** First row among the stop times, and after the last trip the number of rows. */
  readonly firstRows: Int32Array;
  /** The runs of a trip, in the same way. */
  readonly firstRuns: Int32Array;
  /** Trips in which one may stay seated after the last stop, the earliest first: from `stays[firstStays[trip]]` on. */
  readonly firstStays: Int32Array;
  readonly stays: Int32Array;
}

/** Stop times by row, in the order of each trip. */
export interface StopTimeTable {
  readonly stops: Int32Array;
  /** Seconds from noon minus 12 hours of the service day. */
  readonly arrivals: Int32Array;
  readonly departures: Int32Array;
  /** Bits: {@link NO_BOARDING}, {@link NO_ALIGHTING}. */
  readonly flags: Uint8Array;
}

export const NO_BOARDING = 1;
export const NO_ALIGHTING = 2;

/** Departures of trips: one for each trip, several for a trip that runs by frequency. */
export interface RunTable {
  readonly trips: Int32Array;
  /** Seconds that are added to the times of the trip. */
  readonly shifts: Int32Array;
  /** Bits: {@link BY_FREQUENCY}. */
  readonly flags: Uint8Array;
}

export const BY_FREQUENCY = 1;

/** Services by row. Days count from 1970-01-01. */
export interface ServiceTable {
  readonly firstDays: Int32Array;
  readonly lastDays: Int32Array;
  /** Bit 0: Monday. */
  readonly weekdays: Uint8Array;
  /** Exceptions by day: services that run, and that do not. */
  readonly added: ReadonlyMap<number, readonly number[]>;
  readonly removed: ReadonlyMap<number, readonly number[]>;
}

/** Rides from one stop to the next, of each zone by departure: what a scan reads. */
export interface ConnectionTable {
  /** IANA zones in which the timetable counts its days. */
  readonly zones: readonly string[];
  /** First connection of each zone, and after the last zone the number of connections. */
  readonly firstOfZone: Int32Array;
  readonly departures: Int32Array;
  readonly arrivals: Int32Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly runs: Int32Array;
  /** Row of the departure among the stop times. */
  readonly rows: Int32Array;
}

/** Changes between the nodes of a search: those from a node begin at `first[node]`. A change at a node is among them. */
export interface ChangeTable {
  readonly nodeCount: number;
  readonly first: Int32Array;
  readonly to: Int32Array;
  readonly seconds: Int32Array;
}
