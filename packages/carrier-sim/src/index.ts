// A server that speaks the wire formats of train carriers over one seeded timetable, with faults on demand

// For authors of clients: the truth behind the wires, and the wires as pure functions.
export { encodeAvlo } from './avlo/encode-avlo.ts';
export type { CarrierSimId } from './carrier-sim-id.ts';
export type { CarrierSimOptions } from './carrier-sim-options.ts';
export { CarrierSimError, type CarrierSimErrorCode } from './errors.ts';
export { encodeOuigo } from './ouigo/encode-ouigo.ts';
export type { OuigoCredentials } from './ouigo/ouigo-wire.ts';
export type { Fault, FaultKind, Latency, Plan, PlanPatch } from './plan.ts';
export { encodeRenfe } from './renfe/encode-renfe.ts';
export type { RequestCounts } from './request-log.ts';
export type { StationPair } from './service.ts';
export { type CarrierSim, startCarrierSim } from './start-carrier-sim.ts';
export { createTimetable, type Timetable, type TrainsQuery } from './timetable.ts';
export type { Train, TrainBrand, TrainFare, TrainRun } from './train.ts';
