// A train carrier from a GTFS timetable

export { createGtfsCarrier, type GtfsCarrierOptions } from './carrier/create-gtfs-carrier.ts';
export type { GtfsWire } from './carrier/gtfs-wire.ts';
export type { LoadFeed } from './carrier/serve-later.ts';
export type { CodeOf, GtfsStations, GtfsStop, StopCode } from './carrier/served-stations.ts';
export { GtfsError, type GtfsErrorCode, type GtfsErrorData } from './errors.ts';
export type { Feed } from './feed/feed.ts';
export { type ReadGtfsOptions, readGtfs } from './read-gtfs.ts';
export type { GtfsMode } from './reader/route-modes.ts';
