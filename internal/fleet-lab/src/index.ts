// Fleets under faults: five hosts in networks of their own, and up to 1,000 simulated

export { createLoopback } from './network/loopback.ts';
export { createNamespaces, hasNamespaces } from './network/namespaces.ts';
export type { Network } from './network/network.ts';
export { LOST, type Second, timeOf } from './proof/calls.ts';
export type { Check } from './proof/checks.ts';
export type { Observed } from './proof/fleet.ts';
export { rows } from './proof/rows.ts';
export { type RowResult, runRow } from './proof/run-row.ts';
export { setting5 } from './setting-5.ts';
export type { PhaseResult } from './simulation/measures.ts';
export { runSetting } from './simulation/run-setting.ts';
export { settings } from './simulation/settings.ts';
export { messageKinds } from './simulation/simulated-nats.ts';
