import { type ChildProcess, fork, type SerializationType } from 'node:child_process';
import { once } from 'node:events';
import type { Pool, PoolKind } from '@ticketing/dispatch/bench/pools';

const entry = new URL('./raw-fork-worker.ts', import.meta.url);

/** One message per task and one per answer, by hand: no queue, no errors, no end of a worker. */
export function rawFork(serialization: SerializationType): PoolKind {
  return {
    name: `raw \`fork\`, ${serialization}`,
    create: (workers) => rawPool(workers, serialization),
  };
}

function rawPool(workers: number, serialization: SerializationType): Pool {
  const waiting = new Map<number, (value: unknown) => void>();
  const children = Array.from({ length: workers }, () => start(serialization, waiting));
  let lastId = 0;
  return {
    run: (task, input) =>
      new Promise((resolve) => {
        lastId += 1;
        waiting.set(lastId, resolve);
        children[lastId % workers]?.send([lastId, task, input]);
      }),
    close: () =>
      Promise.all(
        children.map((child) => {
          child.disconnect();
          return once(child, 'exit');
        }),
      ),
  };
}

function start(
  serialization: SerializationType,
  waiting: Map<number, (value: unknown) => void>,
): ChildProcess {
  const child = fork(entry, { serialization });
  child.on('message', ([id, value]: [number, unknown]) => {
    waiting.get(id)?.(value);
    waiting.delete(id);
  });
  return child;
}
