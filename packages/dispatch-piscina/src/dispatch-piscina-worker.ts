import { getHeapStatistics } from 'node:v8';
import { isMainThread, receiveMessageOnPort } from 'node:worker_threads';
import { serveTasks } from '@ticketing/dispatch/worker';
import { endNesting } from '@ticketing/kit';
import { StartJournal } from './start-journal.ts';
import type { ThreadStart } from './worker-thread.ts';

if (isMainThread) {
  throw new TypeError(
    'Cannot serve tasks: @ticketing/dispatch-piscina/worker is the program of a thread, which createPiscinaDispatcher starts; for a dispatcher import @ticketing/dispatch-piscina',
  );
}

/**
 * Serves tasks over a port: the one task of a piscina thread. Returns at once; the port stays open. It has no logic of its own,
 * because coverage does not see threads.
 */
export function serve({ workerId, slot, hasWorkerData, module, port, journal }: ThreadStart): void {
  const calls = new StartJournal(journal);
  // Read before the module is loaded, which may replace it.
  const exit = process.exit.bind(process);
  const data = hasWorkerData ? receiveMessageOnPort(port) : undefined;
  const served = serveTasks({
    workerId,
    slot,
    workerData: () => data?.message as unknown,
    module,
    around: (hooks) => ({
      ...hooks,
      async setup(worker) {
        await hooks.setup?.(worker);
        endNesting();
      },
    }),
    post: (message, transfer) => port.postMessage(message, transfer),
    claim: (seq) => calls.claim(seq),
    memoryBytes: () => getHeapStatistics().used_heap_size,
    // Nothing is lost: every posted message is in the other port's queue already.
    exit: (code) => exit(code),
    transfers: true,
  });
  port.on('message', (message) => served.receive(message));
  process.on('exit', () => served.flush());
}
