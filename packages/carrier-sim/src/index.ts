// A server that speaks the wire formats of train carriers over one seeded timetable, with faults on demand

export { CarrierSimError, type CarrierSimErrorCode } from './errors.ts';
export type { Capacity } from './server/capacity.ts';
export type { CarrierSimOptions } from './server/carrier-sim-options.ts';
export type { Fault, FaultKind, FaultPatch } from './server/fault.ts';
export type { OwnAnswer, OwnCarrier, OwnRequest } from './server/own-carriers.ts';
export type { Latency, Plan, PlanPatch } from './server/plan.ts';
export type { OwnRequestCounts, RequestCounts, RequestsByCarrier } from './server/request-log.ts';
export { type CarrierSim, startCarrierSim } from './server/start-carrier-sim.ts';
export {
  describeJourney,
  describeRun,
  type RunDetails,
  type SimEmissions,
  type SimPlatform,
  type SimRemark,
  type SimStop,
  shortestChange,
} from './timetable/europe/run-details.ts';
export type { TrainBrand } from './timetable/fare.ts';
export { type FareTerm, type FareTerms, fareTermsOf } from './timetable/fare-terms.ts';
export type { CarrierSimId } from './timetable/sim-carriers.ts';
export type { StationPair } from './timetable/station-pair.ts';
export { createTimetable, type Timetable, type TrainsQuery } from './timetable/timetable.ts';
export type { Train, TrainFare, TrainRun, TrainSection } from './timetable/train.ts';
// For authors of clients: the truth behind the wires, and the wires as pure functions.
export { encodeAvlo } from './wires/avlo-wire.ts';
export { encodeHafas, type HafasEncoding } from './wires/hafas/hafas-answer.ts';
export { hafasLocalSimProfile, hafasSimProfile } from './wires/hafas/hafas-wire.ts';
export { encodeNavitia, type NavitiaEncoding } from './wires/navitia/encode-navitia.ts';
export { encodeOjp, type OjpEncoding } from './wires/ojp/encode-ojp.ts';
export { encodeOsdm, type OsdmEncoding } from './wires/osdm/osdm-wire.ts';
export { encodeOuigo } from './wires/ouigo-wire.ts';
export { encodeRenfe } from './wires/renfe-wire.ts';
export type { Walks } from './wires/trip-times.ts';
export type { Credentials } from './wires/wire.ts';
