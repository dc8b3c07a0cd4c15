import { Worker } from 'node:worker_threads';
import type { Pool, PoolKind } from '@ticketing/dispatch/bench/pools';

const entry = new URL('./raw-thread-worker.ts', import.meta.url);

/** One message per task and one per answer, by hand: no queue, no errors, no end of a worker. */
export const rawThread: PoolKind = { name: 'raw `postMessage`', create: rawPool };

function rawPool(workers: number): Pool {
  const waiting = new Map<number, (value: unknown) => void>();
  const threads = Array.from({ length: workers }, () => start(waiting));
  let lastId = 0;
  return {
    run: (task, input, transfer = []) =>
      new Promise((resolve) => {
        lastId += 1;
        waiting.set(lastId, resolve);
        threads[lastId % workers]?.postMessage([lastId, task, input], transfer);
      }),
    close: () => Promise.all(threads.map((thread) => thread.terminate())),
  };
}

function start(waiting: Map<number, (value: unknown) => void>): Worker {
  const thread = new Worker(entry);
  thread.on('message', ([id, value]: [number, unknown]) => {
    waiting.get(id)?.(value);
    waiting.delete(id);
  });
  return thread;
}
