// The timetable of the simulated network as a GTFS feed, without the server.

export { createGtfsZip, type GtfsZipOptions } from './create-gtfs-zip.ts';
