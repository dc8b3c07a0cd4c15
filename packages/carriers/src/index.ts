// One adapter for each train carrier wire format: request, decode, normalise.

// The adapters.
export { createAvlo } from './avlo/create-avlo.ts';
// The bytes that cross from request to normalise.
export type { AvloWire } from './avlo/request.ts';
export { createHafas, type HafasOptions } from './hafas/create-hafas.ts';
export type { HafasChecksum, HafasMode, HafasProfile } from './hafas/hafas-profile.ts';
export type { HafasWire } from './hafas/request.ts';
export type { CarrierHttpOptions } from './http/carrier-http.ts';
// What they share.
export {
  type CarrierHttpPools,
  type CarrierHttpStats,
  createCarrierHttp,
} from './http/carrier-http.ts';
export { createNavitia, type NavitiaOptions } from './navitia/create-navitia.ts';
export type { NavitiaWire } from './navitia/request.ts';
export { createOjp, type OjpOptions } from './ojp/create-ojp.ts';
export type { OjpWire } from './ojp/request.ts';
export { createOsdm, type OsdmOptions } from './osdm/create-osdm.ts';
export type { OsdmWire } from './osdm/request.ts';
export { createOuigo, type OuigoOptions } from './ouigo/create-ouigo.ts';
export type { OuigoCredentials, OuigoWire } from './ouigo/request.ts';
export { createRenfe, type RenfeOptions } from './renfe/create-renfe.ts';
export type { RenfeWire } from './renfe/request.ts';
export { type StationCodes, stationTable } from './stations/station-table.ts';
export { cities, stations } from './stations/stations.ts';
export type { CarrierEndpoint, OperatorServer } from './wire/endpoint.ts';
