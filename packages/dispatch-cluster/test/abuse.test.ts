import { defineTasks } from '@ticketing/dispatch';
import { expect, test } from 'vitest';
import {
  type ClusterMetricsOptions,
  type ClusterOptions,
  type ClusterWorkerOptions,
  clusterMetrics,
  clusterWorker,
  primaryDispatcher,
  type Supervisor,
  startCluster,
} from '../src/index.ts';
import { checkWorkerOptions } from '../src/worker/worker-options.ts';

const entry = new URL('file:///nothing/is/started.js');

test.each<[unknown, string]>([
  [undefined, '`options` must be an object, got undefined'],
  [null, '`options` must be an object, got null'],
  [{}, '`entry` must be a URL, got undefined'],
  [{ entry: './server.js' }, '`entry` must be a URL, got ./server.js'],
  [{ entry, graceMs: 1 }, 'unknown option `graceMs`; did you mean `shutdown.graceMs`?'],
  [{ entry, worker: 2 }, 'unknown option `worker`; did you mean `workers`?'],
  [
    { entry, min: 2 },
    'unknown option `min`; known are entry, workers, schedulingPolicy, connections, restart, recycle, shutdown, heartbeatMs, startTimeoutMs, claimTimeoutMs, maxWaiting, maxWaitMs, dispatch, primaryTasks, workerData, env, execArgv, args, killWithParent, output, signals, watch, name, clock',
  ],
  [{ entry, workers: 'all' }, '`workers` must be auto or an integer of 1 to 1024, got all'],
  [{ entry, workers: '2' }, '`workers` must be auto or an integer of 1 to 1024, got 2'],
  [
    { entry, schedulingPolicy: 'none' },
    '`schedulingPolicy` must be one of round-robin, shared, got none',
  ],
  [{ entry, connections: 'none' }, '`connections` must be one of shared, external, got none'],
  [{ entry, restart: 5 }, '`restart` must be an object, got 5'],
  [{ entry, recycle: 'often' }, '`recycle` must be an object, got often'],
  [
    { entry, recycle: { tasks: 5 } },
    'unknown option `recycle.tasks`; known are requests, ageMs, rssBytes, heapBytes, utilisation, jitter',
  ],
  [
    { entry, shutdown: { timeoutMs: 5 } },
    'unknown option `shutdown.timeoutMs`; known are lameDuckMs, graceMs',
  ],
  [
    { entry, connections: 'external', signals: true },
    '`signals` must be false with `connections` external; give `signals` to the router, which ends before its workers',
  ],
  [{ entry, dispatch: { max: 5 } }, 'unknown option `dispatch.max`; did you mean `maxQueue`?'],
  [{ entry, primaryTasks: () => 1 }, '`primaryTasks` must be made by defineTasks, got a function'],
  [{ entry, env: 'PATH' }, '`env` must be an object, got PATH'],
  [{ entry, execArgv: '--watch' }, '`execArgv` must be a list of texts, got --watch'],
  [{ entry, args: [1] }, '`args` must be a list of texts, got 1'],
  [{ entry, output: 1 }, '`output` must be inherit, ignore or a function, got 1'],
  [{ entry, killWithParent: 'yes' }, '`killWithParent` must be true or false, got yes'],
  [{ entry, signals: 'SIGTERM' }, '`signals` must be true or false, got SIGTERM'],
  [
    { entry, watch: './src' },
    '`watch` must be true, false or a list of URLs of files and folders, got ./src',
  ],
  [
    { entry, watch: [new URL('https://host/')] },
    '`watch` must be true, false or a list of URLs of files and folders, got https://host/',
  ],
  [
    { entry, watch: [new URL('file:///nothing/is/watched/')] },
    "`watch` must name files and folders that can be watched: ENOENT: no such file or directory, stat '/nothing/is/watched'",
  ],
  [{ entry, name: '' }, "`name` must be a text, got ''"],
  [
    { entry, clock: {} },
    '`clock` must be an object with now, setTimeout, clearTimeout, got [object Object]',
  ],
])('startCluster() refuses options %j', (options, message) => {
  expect(() => startCluster(options as ClusterOptions)).toThrow(
    new TypeError(`Cannot start cluster: ${message}`),
  );
});

test.each<[object, string]>([
  [{ workers: 0 }, '`workers` must be auto or an integer of 1 to 1024, got 0'],
  [{ workers: 1.5 }, '`workers` must be auto or an integer of 1 to 1024, got 1.5'],
  [{ workers: 1025 }, '`workers` must be auto or an integer of 1 to 1024, got 1025'],
  [{ recycle: { requests: 0 } }, '`recycle.requests` must be an integer of 1 or more, got 0'],
  [{ recycle: { ageMs: 0.5 } }, '`recycle.ageMs` must be 1 or more, got 0.5'],
  [{ recycle: { rssBytes: -1 } }, '`recycle.rssBytes` must be 1 or more, got -1'],
  [{ recycle: { utilisation: 2 } }, '`recycle.utilisation` must be above 0, to 1, got 2'],
  [{ recycle: { heapBytes: 0 } }, '`recycle.heapBytes` must be 1 or more, got 0'],
  [{ recycle: { jitter: 2 } }, '`recycle.jitter` must be 0 to 1, got 2'],
  [{ shutdown: { lameDuckMs: -1 } }, '`shutdown.lameDuckMs` must be 0 to 2147483647, got -1'],
  [
    { shutdown: { lameDuckMs: 8001 } },
    '`shutdown.lameDuckMs` must be 0 to `graceMs` (8000), got 8001',
  ],
  [
    { shutdown: { lameDuckMs: 200, graceMs: 100 } },
    '`shutdown.lameDuckMs` must be 0 to `graceMs` (100), got 200',
  ],
  [
    { shutdown: { graceMs: 2 ** 31 } },
    '`shutdown.graceMs` must be 0 to 2147483647, got 2147483648',
  ],
  [{ claimTimeoutMs: 0 }, '`claimTimeoutMs` must be 1 to 2147483647, got 0'],
  [{ maxWaitMs: 0 }, '`maxWaitMs` must be 1 to 2147483647, got 0'],
  [{ maxWaiting: -1 }, '`maxWaiting` must be an integer of 0 to 2147483647, got -1'],
  [{ heartbeatMs: 0 }, '`heartbeatMs` must be 1 to 2147483647, got 0'],
  [{ startTimeoutMs: 0 }, '`startTimeoutMs` must be 1 to 2147483647, got 0'],
  [
    { dispatch: { window: 0 } },
    '`dispatch.window` must be auto or an integer of 1 to 65536, got 0',
  ],
  [
    { dispatch: { maxQueue: -1 } },
    '`dispatch.maxQueue` must be an integer of 0 to 2147483647, got -1',
  ],
  [{ dispatch: { abortGraceMs: -1 } }, '`dispatch.abortGraceMs` must be 0 to 2147483647, got -1'],
  [
    { restart: { maxFailures: -1 } },
    '`restart.maxFailures` must be an integer of 0 to 10000, got -1',
  ],
])('startCluster() refuses what is out of range: %j', (options, message) => {
  expect(() => startCluster({ entry, ...options })).toThrow(
    new RangeError(`Cannot start cluster: ${message}`),
  );
});

const server = { listen() {}, close() {}, server: {} };
const expectedServer =
  'a server, an application with one, a listener of requests or a function that makes it';

test.each<[unknown, string]>([
  [null, '`options` must be an object, got null'],
  [
    { app: server },
    'unknown option `app`; known are server, listen, attach, tasks, metrics, standalone',
  ],
  [{ server: {} }, `\`server\` must be ${expectedServer}, got [object Object]`],
  [{ server: 8080 }, `\`server\` must be ${expectedServer}, got 8080`],
  [{ server }, '`listen` must be an object with port or path, got undefined'],
  [{ server, listen: 8080 }, '`listen` must be an object with port or path, got 8080'],
  [{ server, listen: {} }, '`listen` must be an object with port or path, got [object Object]'],
  [
    { server, listen: { port: 0, host: 'localhost' } },
    '`listen.host` must be an address such as 127.0.0.1, got localhost',
  ],
  [
    { server, listen: { port: 0 }, attach: () => ({ close: async () => {} }) },
    "`attach` needs `connections: 'external'` in `startCluster`",
  ],
  [{ tasks: './tasks.js' }, '`tasks` must be made by defineTasks, or a URL, got ./tasks.js'],
  [{ tasks: {} }, '`tasks` must be made by defineTasks, or a URL, got [object Object]'],
  [{ metrics: {} }, '`metrics` must be an object with getMetricsAsJSON, got [object Object]'],
  [
    { standalone: 'yes' },
    '`standalone` must be true, false or an object with lameDuckMs and graceMs, got yes',
  ],
  [
    { standalone: true },
    '`standalone` needs `server`, because without a primary nothing calls tasks',
  ],
])('clusterWorker() refuses options %j', (options, message) => {
  const check = () =>
    checkWorkerOptions('serve as cluster worker', options as ClusterWorkerOptions, 'shared');
  expect(check).toThrow(new TypeError(`Cannot serve as cluster worker: ${message}`));
});

test.each<[object, Error]>([
  [
    { server, standalone: true },
    new TypeError('`listen` must be an object with port or path, got undefined'),
  ],
  [
    { server, listen: { port: 0 }, standalone: { timeoutMs: 1 } },
    new TypeError('unknown option `standalone.timeoutMs`; known are lameDuckMs, graceMs'),
  ],
  [
    { server, listen: { port: 0 }, standalone: { lameDuckMs: 9000 } },
    new RangeError('`standalone.lameDuckMs` must be 0 to `graceMs` (8000), got 9000'),
  ],
])('clusterWorker() refuses to serve alone with %j', (options, error) => {
  const given = options as unknown as ClusterWorkerOptions;
  const serve = () => clusterWorker(given);
  expect(serve).toThrow(error.constructor as ErrorConstructor);
  expect(serve).toThrow(`Cannot serve as cluster worker: ${error.message}`);
});

test('clusterWorker() checks its options first', () => {
  expect(() => clusterWorker({ listen: 8080 } as unknown as ClusterWorkerOptions)).toThrow(
    new TypeError(
      'Cannot serve as cluster worker: `listen` must be an object with port or path, got 8080',
    ),
  );
});

test('clusterWorker() needs no address if connections are external', () => {
  const options = { server } as unknown as ClusterWorkerOptions;
  expect(() => checkWorkerOptions('serve', options, 'external')).not.toThrow();
});

test('clusterWorker() refuses a process that startCluster() has not started', () => {
  expect(() => clusterWorker({ tasks: defineTasks({ one: () => 1 }) })).toThrow(
    new TypeError(
      'Cannot serve as cluster worker: `startCluster` has not started this process; run the program that calls it, or set `standalone` to true',
    ),
  );
});

const aggregator = { aggregate: () => ({ contentType: '', metrics: async () => '' }) };

test.each<[object | undefined, string]>([
  [undefined, '`options` must be an object, got undefined'],
  [{}, '`aggregator` must be an object with aggregate, got undefined'],
  [{ aggregator: {} }, '`aggregator` must be an object with aggregate, got [object Object]'],
  [
    { aggregator, registry: {} },
    '`registry` must be an object with getMetricsAsJSON, got [object Object]',
  ],
  [{ aggregator, timeout: 5 }, 'unknown option `timeout`; did you mean `timeoutMs`?'],
])('clusterMetrics() refuses options %j', (options, message) => {
  const supervisor = {} as Supervisor;
  expect(() => clusterMetrics(supervisor, options as ClusterMetricsOptions)).toThrow(
    new TypeError(`Cannot collect metrics: ${message}`),
  );
});

test.each<[object, string]>([
  [{ timeoutMs: 0 }, '`timeoutMs` must be 1 to 2147483647, got 0'],
  [{ maxBytes: 1000 }, '`maxBytes` must be an integer of 1024 to 1073741824, got 1000'],
])('clusterMetrics() refuses %j', (options, message) => {
  const supervisor = {} as Supervisor;
  expect(() => clusterMetrics(supervisor, { aggregator, ...options })).toThrow(
    new RangeError(`Cannot collect metrics: ${message}`),
  );
});

test.each(['min', 'max', 'recycle', 'healthMs', 'workerData', 'workers'])(
  'primaryDispatcher() refuses the option %s',
  (name) => {
    expect(() => primaryDispatcher({ [name]: 1 })).toThrow(
      new RegExp(
        `^Cannot create primary dispatcher: (unknown option \`${name}\`;|\`${name}\` does not apply, since the primary is the only worker$)`,
      ),
    );
  },
);

test('primaryDispatcher() refuses tasks that defineTasks has not made', () => {
  const options = { standalone: { double: () => 2 } } as object;
  expect(() => primaryDispatcher(options)).toThrow(
    new TypeError(
      'Cannot create primary dispatcher: `standalone` must be made by defineTasks, got [object Object]',
    ),
  );
});

test('primaryDispatcher() refuses a process without a channel', () => {
  const { send } = process;
  delete process.send;
  try {
    expect(() => primaryDispatcher()).toThrow(
      new TypeError(
        'Cannot create primary dispatcher: this process is not a worker of `startCluster`; to run it alone, give the tasks as `standalone`',
      ),
    );
  } finally {
    if (send !== undefined) process.send = send;
  }
});
