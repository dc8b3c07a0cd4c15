import type cluster from 'node:cluster';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import {
  attachServer,
  createSocketRouter,
  forkWorkers,
  fromCluster,
  RouterError,
  type RouterOptions,
} from '../src/index.ts';

const workers = { subscribe: () => () => {} };
const module = new URL('workers/http-worker.mjs', import.meta.url);

type Wrong = readonly [what: unknown, error: typeof TypeError | typeof RangeError, message: string];

const options: Wrong[] = [
  [undefined, TypeError, '`options` must be an object, got undefined'],
  [{}, TypeError, '`workers` must be an object with subscribe, or a list of them, got undefined'],
  [
    { workers: 4 },
    TypeError,
    '`workers` must be an object with subscribe, or a list of them, got 4',
  ],
  [
    { workers: [] },
    TypeError,
    '`workers` must be an object with subscribe, or a list of them, got []',
  ],
  [
    { workers: [workers, {}] },
    TypeError,
    '`workers` must be an object with subscribe, or a list of them, got [object Object],[object Object]',
  ],
  [
    { workers: module },
    TypeError,
    '`workers` must be a source of workers, got a URL; use `forkWorkers(url, n)`',
  ],
  [
    { workers: [workers, { ...workers, connections: 'shared' }] },
    TypeError,
    "`workers` must be a supervisor with `connections: 'external'`, got one whose workers listen themselves",
  ],
  [
    { workers, health: 'healthz' },
    TypeError,
    '`health` must be a path that begins with / and has no query, got healthz',
  ],
  [
    { workers, health: '/a?b' },
    TypeError,
    '`health` must be a path that begins with / and has no query, got /a?b',
  ],
  [
    { workers, health: '/a', protocol: 'tls-sni' },
    TypeError,
    '`protocol` must be http or auto with `health`, got tls-sni',
  ],
  [
    { workers, health: '/a', protocol: 'tcp' },
    TypeError,
    '`protocol` must be http or auto with `health`, got tcp',
  ],
  [{ workers, mode: 'cluster' }, TypeError, '`mode` must be one of socket, passthru, got cluster'],
  [{ workers, route: 'key' }, TypeError, '`route` must be a function, got key'],
  [
    { workers, route: () => undefined },
    TypeError,
    '`laterRequests` must be forward, close or connection with `route`, got undefined; a balancer sends requests of many clients on one connection, and with connection all of them go where the first one goes',
  ],
  [
    { workers, route: () => undefined, protocol: 'auto' },
    TypeError,
    '`laterRequests` must be close or connection with `route`, got undefined; a balancer sends requests of many clients on one connection, and with connection all of them go where the first one goes',
  ],
  [
    { workers, laterRequests: 'sticky' },
    TypeError,
    '`laterRequests` must be one of connection, forward, close, got sticky',
  ],
  [
    { workers, protocol: 'https' },
    TypeError,
    '`protocol` must be one of http, tls-sni, auto, tcp, got https',
  ],
  [{ workers, balance: 1.25 }, TypeError, '`balance` must be an object, got 1.25'],
  [
    { workers, balance: { loadFactor: 0.5 } },
    RangeError,
    '`balance.loadFactor` must be 1 to Infinity, got 0.5',
  ],
  [
    { workers, balance: { factor: 2 } },
    TypeError,
    'unknown option `balance.factor`; did you mean `loadFactor`?',
  ],
  [
    { workers, proxyProtocol: true },
    TypeError,
    '`proxyProtocol` must be an object or false, got true',
  ],
  [
    { workers, proxyProtocol: {} },
    TypeError,
    '`proxyProtocol.trusted` must be a list of texts, got undefined',
  ],
  [
    { workers, proxyProtocol: { trusted: ['10.0.0.0/33'] } },
    TypeError,
    '`proxyProtocol.trusted` must be a list of addresses and subnets, got 10.0.0.0/33',
  ],
  [
    { workers, proxyProtocol: { trusted: ['proxy.example'] } },
    TypeError,
    '`proxyProtocol.trusted` must be a list of addresses and subnets, got proxy.example',
  ],
  [{ workers, limits: [] }, TypeError, '`limits` must be an object, got []'],
  [
    { workers, limits: { headBytes: 1 } },
    RangeError,
    '`limits.headBytes` must be an integer of 64 to 65536, got 1',
  ],
  [
    { workers, limits: { headTimeoutMs: 0 } },
    RangeError,
    '`limits.headTimeoutMs` must be an integer of 1 to 2147483647, got 0',
  ],
  [
    { workers, limits: { pending: 1.5 } },
    RangeError,
    '`limits.pending` must be an integer of 1 or more, got 1.5',
  ],
  [
    { workers, limits: { queuePerWorker: '1' } },
    TypeError,
    '`limits.queuePerWorker` must be an integer of 1 or more, got 1',
  ],
  [
    { workers, limits: { claimTimeoutMs: 5 } },
    RangeError,
    '`limits.claimTimeoutMs` must be an integer of 10 to 2147483647, got 5',
  ],
  [
    { workers, limits: { maxWaitMs: 0 } },
    RangeError,
    '`limits.maxWaitMs` must be an integer of 1 to 2147483647, got 0',
  ],
  [
    { workers, limits: { headbytes: 1 } },
    TypeError,
    'unknown option `limits.headbytes`; did you mean `headBytes`?',
  ],
  [
    { workers, headTimeoutMs: 1 },
    TypeError,
    'unknown option `headTimeoutMs`; did you mean `limits.headTimeoutMs`?',
  ],
  [
    { workers, port: 80 },
    TypeError,
    'unknown option `port`; known are mode, workers, route, health, laterRequests, balance, protocol, proxyProtocol, limits, signals',
  ],
  [
    { workers, mode: 'passthru', protocol: 'auto' },
    TypeError,
    '`protocol` must be http with `mode` passthru, got auto',
  ],
  [
    { workers, mode: 'passthru', laterRequests: 'close' },
    TypeError,
    '`laterRequests` must be connection with `mode` passthru, got close',
  ],
  [
    { workers, laterRequests: 'forward', protocol: 'tls-sni' },
    TypeError,
    '`protocol` must be http with `laterRequests` forward, got tls-sni',
  ],
];

test.each(options)('createSocketRouter(%j) throws', (given, error, message) => {
  const create = () => createSocketRouter(given as RouterOptions);
  expect(create).toThrow(error);
  expect(create).toThrow(`Cannot create router: ${message}`);
});

const forks: (readonly [module: unknown, ...Wrong])[] = [
  ['./worker.js', 1, TypeError, '`module` must be a URL, got ./worker.js'],
  [module, 0, RangeError, '`workers` must be an integer of 1 to 1024, got 0'],
  [module, undefined, TypeError, '`options` must be an object, got undefined'],
  [module, {}, TypeError, '`workers` must be an integer of 1 to 1024, got undefined'],
  [
    module,
    { workers: 1, restart: { backoffMs: [5, 1] } },
    RangeError,
    '`restart.backoffMs` must be [min, max] of 1 to 2147483647, min not above max, got 5,1',
  ],
  [
    module,
    { workers: 1, restart: { maxFailures: -1 } },
    RangeError,
    '`restart.maxFailures` must be an integer of 0 to 10000, got -1',
  ],
  [
    module,
    { workers: 1, startTimeoutMs: 0 },
    RangeError,
    '`startTimeoutMs` must be an integer of 1 to 2147483647, got 0',
  ],
  [
    module,
    { workers: 1, backoffMs: [100, 5000] },
    TypeError,
    'unknown option `backoffMs`; did you mean `restart.backoffMs`?',
  ],
  [module, { workers: 1, slotPrefix: 1 }, TypeError, '`slotPrefix` must be a text, got 1'],
  [module, { workers: 1, env: 'A=b' }, TypeError, '`env` must be an object, got A=b'],
  [
    module,
    { workers: 1, execArgv: '--inspect' },
    TypeError,
    '`execArgv` must be a list of texts, got --inspect',
  ],
  [
    module,
    { workers: 1, cwd: '/' },
    TypeError,
    'unknown option `cwd`; known are workers, slotPrefix, restart, startTimeoutMs, env, execArgv',
  ],
];

test.each(forks)('forkWorkers(%s, %j) throws', (url, given, error, message) => {
  const fork = () => forkWorkers(url as URL, given as number);
  expect(fork).toThrow(error);
  expect(fork).toThrow(`Cannot fork workers: ${message}`);
});

test.each([
  [{}, 'got [object Object]'],
  [undefined, 'got undefined'],
  [{ isPrimary: false }, 'got that of a worker'],
])('fromCluster(%j) throws', (given, got) => {
  expect(() => fromCluster(given as typeof cluster)).toThrow(
    new TypeError(
      `Cannot take cluster workers: \`cluster\` must be the cluster module of a primary process, ${got}`,
    ),
  );
});

const attachments: (readonly [server: unknown, ...Wrong])[] = [
  [{}, undefined, TypeError, '`server` must be a server, got [object Object]'],
  [
    createServer,
    undefined,
    TypeError,
    '`server` must be a server, got a function; give a listener to `http.createServer`',
  ],
  [createServer(), { route: {} }, TypeError, '`route` must be a function, got [object Object]'],
  [
    createServer(),
    { orphanGraceMs: -1 },
    RangeError,
    '`orphanGraceMs` must be an integer of 0 to 2147483647, got -1',
  ],
  [
    createServer(),
    { slot: 1 },
    TypeError,
    'unknown option `slot`; known are route, orphanGraceMs, standalone, listen',
  ],
  [
    createServer(),
    { listen: { port: 0 } },
    TypeError,
    '`listen` needs `standalone`, because the router listens for its workers',
  ],
  [
    createServer(),
    { standalone: true },
    TypeError,
    '`listen` must be an object with port or path, got undefined',
  ],
  [
    createServer(),
    { standalone: 'yes', listen: { port: 0 } },
    TypeError,
    '`standalone` must be true, false or an object with graceMs and lameDuckMs, got yes',
  ],
  [
    createServer(),
    { standalone: { lameDuckMs: 9000 }, listen: { port: 0 } },
    RangeError,
    '`lameDuckMs` must be 0 to `graceMs` (8000), got 9000',
  ],
];

test.each(attachments)(
  'attachServer() throws for a wrong server or option',
  (server, given, error, message) => {
    const attach = () => attachServer(server as ReturnType<typeof createServer>, given as object);
    expect(attach).toThrow(error);
    expect(attach).toThrow(`Cannot attach server: ${message}`);
  },
);

test('attachServer() throws in a process that no router can reach', () => {
  const { send } = process;
  Object.assign(process, { send: undefined });
  try {
    expect(() => attachServer(createServer())).toThrow(
      new TypeError(
        'Cannot attach server: this process has no channel to a router; start it by `forkWorkers`, node:cluster or a supervisor, or set `standalone` to true',
      ),
    );
  } finally {
    Object.assign(process, { send });
  }
});

test('close() throws for a wrong grace, and closes nothing', async () => {
  const router = createSocketRouter({ workers });
  expect(() => router.close({ graceMs: -1 })).toThrow(
    new RangeError('Cannot close router: `graceMs` must be an integer of 0 to 2147483647, got -1'),
  );
  expect(() => router.close({ grace: 1 } as object)).toThrow(
    new TypeError('Cannot close router: unknown option `grace`; did you mean `graceMs`?'),
  );
  expect(() => router.close({ graceMs: 100, lameDuckMs: 200 })).toThrow(
    new RangeError('Cannot close router: `lameDuckMs` must be 0 to `graceMs` (100), got 200'),
  );
  expect(() => router.close({ lameDuckMs: 8001 })).toThrow(
    new RangeError('Cannot close router: `lameDuckMs` must be 0 to `graceMs` (8000), got 8001'),
  );
  expect(router.stats().state).toBe('idle');
  await router.close();
});

test('listen() rejects with the platform’s error, and may be tried again', async () => {
  const one = createSocketRouter({ workers });
  const other = createSocketRouter({ workers });
  const { port } = await one.listen({ port: 0, host: '127.0.0.1' });
  await expect(other.listen({ port, host: '127.0.0.1' })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
  expect((await other.listen({ port: 0, host: '127.0.0.1' })).port).not.toBe(port);
  await Promise.all([one.close(), other.close()]);
});

test('a folder for unix sockets that cannot be used is reported at once', () => {
  const { TMPDIR } = process.env;
  const long = mkdtempSync(join(tmpdir(), 'x'.repeat(90)));
  const create = () => createSocketRouter({ workers, mode: 'passthru' });
  try {
    process.env['TMPDIR'] = '/nowhere';
    expect(create).toThrow(
      expect.objectContaining({ code: 'ERR_SOCKET_PATH', data: { folder: '/nowhere' } }),
    );
    expect(create).toThrow(
      'Cannot create unix sockets for workers: /nowhere cannot be written (ENOENT); set `TMPDIR` to a folder that can be',
    );
    process.env['TMPDIR'] = long;
    expect(create).toThrow(
      expect.objectContaining({ code: 'ERR_SOCKET_PATH', data: { folder: long } }),
    );
    expect(readdirSync(long)).toEqual([]);
    expect(create).toThrow(
      `Cannot create unix sockets for workers: the path of ${long} is too long; set \`TMPDIR\` to one of at most 80 bytes`,
    );
  } finally {
    rmSync(long, { recursive: true });
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  }
});

test('Node.js prints the errors of this package with the name of their class', () => {
  expect(inspect(new RouterError('ERR_STATE', 'text', { data: {} }))).toMatch(
    /^RouterError: text\n/,
  );
});

test('RouterError.is() knows errors of other copies of the package', () => {
  expect(RouterError.is(new RouterError('ERR_STATE', 'text', { data: {} }))).toBe(true);
  expect(RouterError.is(new Error('text'))).toBe(false);
  expect(RouterError.is(undefined)).toBe(false);
});
