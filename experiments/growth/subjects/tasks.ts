import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Dispatcher } from '@ticketing/dispatch';
import { createForkDispatcher } from '@ticketing/dispatch-fork';
import { createPiscinaDispatcher } from '@ticketing/dispatch-piscina';
import type { GrowthContender, Subject } from '../subject.ts';
import type { GrowthTasks } from './growth-tasks.ts';

const TASKS = new URL('growth-tasks.ts', import.meta.url);
const RAW = new URL('raw-echo.ts', import.meta.url);

type Pool = Dispatcher<GrowthTasks>;
const fewOf = (max: number) => ({ max, maxQueue: 1_000_000, startTimeoutMs: 300_000 });

const pools: readonly { readonly name: string; readonly create: (max: number) => Pool }[] = [
  {
    name: '`createForkDispatcher`',
    create: (max) => createForkDispatcher<GrowthTasks>(TASKS, fewOf(max)),
  },
  {
    name: '`createPiscinaDispatcher`',
    create: (max) => createPiscinaDispatcher<GrowthTasks>(TASKS, fewOf(max)),
  },
];

/** Each kind of pool, with a number of workers, and work of a size. */
function byPools(
  workersOf: (size: number) => number,
  workOf: (pool: Pool, size: number) => () => unknown,
): GrowthContender[] {
  return pools.map(({ name, create }) => ({
    name,
    async prepare(size) {
      const pool = create(workersOf(size));
      await pool.ready();
      return { work: workOf(pool, size), end: () => pool.close() };
    },
  }));
}

const runMany = (pool: Pool, count: number) => () =>
  Promise.all(Array.from({ length: count }, (_, index) => pool.run('echo', index)));

export const tasksSubjects: readonly Subject[] = [
  {
    name: 'calls in flight, two workers',
    of: 'calls',
    sizes: [1, 10, 100, 1000, 10_000, 100_000],
    contenders: byPools(() => 2, runMany),
  },
  {
    name: 'workers, 1,000 calls',
    of: 'workers',
    sizes: [1, 2, 4, 8, 16, 32, 64],
    contenders: byPools(
      (size) => size,
      (pool) => runMany(pool, 1000),
    ),
  },
  {
    name: 'bytes of a value, there and back',
    of: 'bytes',
    sizes: [10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000],
    contenders: [
      ...byPools(
        () => 1,
        (pool, size) => {
          const value = 'x'.repeat(size);
          return () => pool.run('echo', value);
        },
      ),
      {
        name: '`child.send` of Node',
        async prepare(size) {
          const child = fork(RAW, { serialization: 'advanced' });
          await once(child, 'message');
          const value = 'x'.repeat(size);
          return {
            async work() {
              const answered = once(child, 'message');
              child.send(value);
              await answered;
            },
            async end() {
              child.disconnect();
              await once(child, 'exit');
            },
          };
        },
      },
    ],
  },
];
