// What runs in a worker of a router, and nothing of the router itself

export type { LeaveOptions } from './contract/leave-options.ts';
export type { WorkerHandle, WorkerHandleStats } from './contract/worker-handle.ts';
export type { AttachOptions } from './options/attach-options.ts';
export { limitPipelined } from './server/limit-pipelined.ts';
export { arrivedAt } from './worker/arrivals.ts';
export { attachServer } from './worker/attached-server.ts';
