import { fileURLToPath } from 'node:url';
import type { PoolKind } from '@ticketing/dispatch/bench/pools';
import { Worker as JestWorker } from 'jest-worker';
import { Piscina } from 'piscina';
import { FixedThreadPool } from 'poolifier';
import { Tinypool } from 'tinypool';
import workerpool from 'workerpool';

/** piscina itself, each way in which a thread can wait for its tasks. */
export const piscinas: readonly PoolKind[] = (['sync', 'async', 'disabled'] as const).map(
  (atomics) => ({
    name: `piscina, atomics ${atomics}`,
    create(workers) {
      const pool = new Piscina({
        filename: new URL('./piscina-worker.ts', import.meta.url).href,
        minThreads: workers,
        maxThreads: workers,
        concurrentTasksPerWorker: 64,
        recordTiming: false,
        atomics,
      });
      return {
        run: (task, input, transferList = []) => pool.run(input, { name: task, transferList }),
        close: () => pool.destroy(),
      };
    },
  }),
);

/** Pools of threads from other packages, each with the options that make it fastest here. */
export const peers: readonly PoolKind[] = [
  {
    name: 'tinypool',
    create(workers) {
      const pool = new Tinypool({
        filename: new URL('./tinypool-worker.ts', import.meta.url).href,
        minThreads: workers,
        maxThreads: workers,
        concurrentTasksPerWorker: 64,
      });
      return {
        run: (task, input, transferList = []) => pool.run(input, { name: task, transferList }),
        close: () => pool.destroy(),
      };
    },
  },
  {
    name: 'workerpool',
    create(workers) {
      const pool = workerpool.pool(fileOf('./workerpool-worker.ts'), {
        workerType: 'thread',
        minWorkers: workers,
        maxWorkers: workers,
      });
      return {
        run: (task, input, transfer = []) =>
          Promise.resolve(pool.exec(task, [input], { transfer })),
        close: () => Promise.resolve(pool.terminate()),
      };
    },
  },
  {
    name: 'poolifier',
    create(workers) {
      const pool = new FixedThreadPool(workers, fileOf('./poolifier-worker.ts'), {
        enableEvents: false,
      });
      return {
        run: (task, input, transfer) => pool.execute(input, task, undefined, transfer),
        close: () => pool.destroy(),
      };
    },
  },
  {
    name: 'jest-worker',
    create(workers) {
      const farm = new JestWorker(fileOf('./jest-worker-worker.ts'), {
        numWorkers: workers,
        enableWorkerThreads: true,
        exposedMethods: ['burn', 'echo', 'heapBytes', 'pass', 'threadCpuUs'],
      });
      const tasks = farm as unknown as Record<string, (input: unknown) => Promise<unknown>>;
      return {
        run: (task, input) => tasks[task]?.(input) ?? Promise.reject(new Error(`no ${task}`)),
        close: () => farm.end(),
      };
    },
  },
];

/** Piscina with its defaults: one task at a time per thread, the others in its queue. */
export const plainPiscina: PoolKind = {
  name: 'piscina',
  create(workers) {
    const filename = new URL('./piscina-worker.ts', import.meta.url).href;
    const pool = new Piscina({ filename, minThreads: workers, maxThreads: workers });
    return {
      run: (task, input) => pool.run(input, { name: task }),
      close: () => pool.destroy(),
    };
  },
};

/** Poolifier that moves waiting calls from one worker to another. */
export const stealingPoolifier: PoolKind = {
  name: 'poolifier, queues and stealing',
  create(workers) {
    const pool = new FixedThreadPool(workers, fileOf('./poolifier-worker.ts'), {
      enableEvents: false,
      enableTasksQueue: true,
      tasksQueueOptions: { taskStealing: true, tasksStealingOnBackPressure: true },
    });
    return { run: (task, input) => pool.execute(input, task), close: () => pool.destroy() };
  },
};

function fileOf(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
