// A server that speaks the wire formats of train carriers over one seeded timetable, with faults on demand

// For authors of clients: the truth behind the wires, and the wires as pure functions.
export { encodeAvlo } from './avlo/encode-avlo.ts';
export { CarrierSimError, type CarrierSimErrorCode } from './errors.ts';
export { encodeOuigo } from './ouigo/encode-ouigo.ts';
export { encodeRenfe } from './renfe/encode-renfe.ts';
export type { CarrierSimOptions } from './server/carrier-sim-options.ts';
export type { Fault, FaultKind, Latency, Plan, PlanPatch } from './server/plan.ts';
export type { RequestCounts } from './server/request-log.ts';
export { type CarrierSim, startCarrierSim } from './server/start-carrier-sim.ts';
export type { CarrierSimId } from './timetable/lines.ts';
export type { StationPair } from './timetable/service.ts';
export { createTimetable, type Timetable, type TrainsQuery } from './timetable/timetable.ts';
export type { Train, TrainBrand, TrainFare, TrainRun } from './timetable/train.ts';
export type { Credentials } from './wire.ts';
