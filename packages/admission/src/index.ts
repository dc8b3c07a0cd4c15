// Refuse requests that cannot be answered in time, and begin the others in their order

export type { Admission, AdmissionOptions } from './admission.ts';
// For those who serve.
export { createAdmission } from './admission.ts';
export type { AdmissionStats, Applicant, Refusal } from './applicant-queue.ts';
export type { EventLoopStats, EventLoopWatch } from './event-loop-watch.ts';
export { watchEventLoop } from './event-loop-watch.ts';
export type { Signs } from './in-flight-limit.ts';
export type { QueueSign, WorkerCounts } from './signs/queue-sign.ts';
export { createQueueSign } from './signs/queue-sign.ts';
export type { UpstreamSign } from './signs/upstream-sign.ts';
export { createUpstreamSign } from './signs/upstream-sign.ts';
