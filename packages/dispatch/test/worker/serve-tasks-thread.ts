import { parentPort, workerData } from 'node:worker_threads';
import { serveTasks } from '../../src/worker/serve-tasks.ts';

// A worker thread in its smallest form.
const port = parentPort;
if (port === null) throw new Error('Cannot serve: this is the main thread');
const served = serveTasks({
  workerId: 1,
  slot: 0,
  module: (workerData as { module: string }).module,
  transfers: true,
  post: (message, transfer) => port.postMessage(message, transfer),
  claim: () => true,
  memoryBytes: () => 1,
  exit: (code) => {
    process.exitCode = code;
    port.close();
  },
});
port.on('message', (message) => served.receive(message));
