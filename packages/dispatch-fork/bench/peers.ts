import { fileURLToPath } from 'node:url';
import type { PoolKind } from '@ticketing/dispatch/bench/pools';
import { Worker as JestWorker } from 'jest-worker';
import { FixedClusterPool } from 'poolifier';
import { Tinypool } from 'tinypool';
import workerpool from 'workerpool';

const work = new URL(import.meta.resolve('@ticketing/dispatch/bench/work'));
// Each has the options that make it fastest here; JSON is faster than the other serialisation wherever it can be had.
const serialization = 'json';

/** Pools of processes from other packages. */
export const peers: readonly PoolKind[] = [
  {
    name: 'workerpool',
    create(workers) {
      const pool = workerpool.pool(fileOf('./workerpool-worker.ts'), {
        workerType: 'process',
        minWorkers: workers,
        maxWorkers: workers,
        // By itself it would start them without the options of this program.
        forkOpts: { serialization, execArgv: process.execArgv },
      });
      return {
        run: (task, input) => Promise.resolve(pool.exec(task, [input])),
        close: () => Promise.resolve(pool.terminate()),
      };
    },
  },
  {
    name: 'poolifier, cluster',
    create(workers) {
      const pool = new FixedClusterPool(workers, fileOf('./poolifier-worker.ts'), {
        enableEvents: false,
        settings: { serialization },
      });
      return { run: (task, input) => pool.execute(input, task), close: () => pool.destroy() };
    },
  },
  {
    name: 'jest-worker',
    create(workers) {
      const farm = new JestWorker(fileURLToPath(work), {
        numWorkers: workers,
        exposedMethods: ['burn', 'echo', 'residentBytes', 'threadCpuUs'],
        forkOptions: { serialization },
      });
      const tasks = farm as unknown as Record<string, (input: unknown) => Promise<unknown>>;
      return {
        run: (task, input) => tasks[task]?.(input) ?? Promise.reject(new Error(`no ${task}`)),
        close: () => farm.end(),
      };
    },
  },
  {
    name: 'tinypool',
    create(workers) {
      const pool = new Tinypool({
        runtime: 'child_process',
        filename: work.href,
        minThreads: workers,
        maxThreads: workers,
        concurrentTasksPerWorker: 64,
        serialization,
      });
      return {
        run: (task, input) => pool.run(input, { name: task }),
        close: () => pool.destroy(),
      };
    },
  },
];

/** Poolifier that moves waiting calls from one worker to another. */
export const stealingPoolifier: PoolKind = {
  name: 'poolifier, cluster, queues and stealing',
  create(workers) {
    const pool = new FixedClusterPool(workers, fileOf('./poolifier-worker.ts'), {
      enableEvents: false,
      enableTasksQueue: true,
      tasksQueueOptions: { taskStealing: true, tasksStealingOnBackPressure: true },
      settings: { serialization },
    });
    return { run: (task, input) => pool.execute(input, task), close: () => pool.destroy() };
  },
};

function fileOf(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
