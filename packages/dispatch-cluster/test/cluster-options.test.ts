import { usableCores } from '@ticketing/kit';
import { expect, test } from 'vitest';
import { resolveClusterOptions } from '../src/cluster-options.ts';
import type { ClusterOptions, ClusterWorkerOptions } from '../src/index.ts';
import { checkWorkerOptions } from '../src/worker/worker-options.ts';

const entry = new URL('file:///nothing/is/started.js');
const resolve = (options: Partial<ClusterOptions>) =>
  resolveClusterOptions('start cluster', { entry, ...options });

test.each([
  [undefined, { lameDuckMs: 2000, graceMs: 8000 }],
  [{}, { lameDuckMs: 2000, graceMs: 8000 }],
  [{ graceMs: 3000 }, { lameDuckMs: 1500, graceMs: 3000 }],
  [{ graceMs: 30_000 }, { lameDuckMs: 2000, graceMs: 30_000 }],
  [{ lameDuckMs: 8000 }, { lameDuckMs: 8000, graceMs: 8000 }],
  [{ graceMs: 0 }, { lameDuckMs: 0, graceMs: 0 }],
])('shutdown %j is %j, and a worker is killed when graceMs ends', (shutdown, end) => {
  const { cluster, pool } = resolve({ shutdown });
  expect(cluster).toMatchObject(end);
  expect(pool.stopGraceMs).toBe(end.graceMs);
});

test("workers: 'auto' is one worker per core that this process may use", () => {
  const workers = usableCores();
  expect(resolve({ workers: 'auto' }).pool).toMatchObject({ min: workers, max: workers });
  expect(resolve({}).pool.max).toBe(workers);
});

test('every option may be undefined, also where types are exact', () => {
  const options: Required<{
    [K in keyof Omit<ClusterOptions, 'entry'>]: ClusterOptions[K] & undefined;
  }> = {
    workers: undefined,
    schedulingPolicy: undefined,
    connections: undefined,
    restart: undefined,
    recycle: undefined,
    shutdown: undefined,
    heartbeatMs: undefined,
    startTimeoutMs: undefined,
    claimTimeoutMs: undefined,
    maxWaiting: undefined,
    maxWaitMs: undefined,
    dispatch: undefined,
    primaryTasks: undefined,
    workerData: undefined,
    env: undefined,
    execArgv: undefined,
    args: undefined,
    killWithParent: undefined,
    output: undefined,
    signals: undefined,
    watch: undefined,
    name: undefined,
    clock: undefined,
  };
  expect(resolve(options)).toEqual(resolve({}));
  const recycle = {
    ...{ requests: undefined, ageMs: undefined, rssBytes: undefined },
    ...{ heapBytes: undefined, utilisation: undefined, jitter: undefined },
  };
  const shutdown = { lameDuckMs: undefined, graceMs: undefined };
  expect(resolve({ recycle, shutdown })).toEqual(resolve({}));
  const worker: ClusterWorkerOptions = {
    server: undefined,
    listen: undefined,
    attach: undefined,
    tasks: undefined,
  };
  expect(() => checkWorkerOptions('serve', worker, 'shared')).not.toThrow();
});
