import { serveProcess } from '@ticketing/dispatch/worker';

// Program of a worker. It has no logic of its own, because coverage does not see other processes.
const [, , workerId, slot, module = '', data] = process.argv;
if (process.send === undefined || !(Number(workerId) > 0)) {
  throw new TypeError(
    'Cannot serve tasks: @ticketing/dispatch-fork/worker is the program of a worker, which createForkDispatcher starts; for a dispatcher import @ticketing/dispatch-fork',
  );
}
serveProcess({
  workerId: Number(workerId),
  slot: Number(slot),
  module,
  hasWorkerData: data !== undefined,
});
