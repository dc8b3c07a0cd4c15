import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { isFullScale, lives, until } from '@ticketing/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import {
  createSocketRouter,
  type ForkOptions,
  forkWorkers,
  type RouterEvents,
  type SocketRouter,
} from '../../src/index.ts';
import { reasonIn } from '../../src/source/forked-process.ts';
import { ask } from '../clients.ts';
import { nextEvent } from '../router-fixture.ts';
import { execArgv } from '../worker-processes.ts';

/** Fast, so that a test need not wait. */
const restart = { backoffMs: [1, 50] as const, maxFailures: 2 };
/** The first failed start is the last. */
const once = { workers: 1, restart: { ...restart, maxFailures: 0 } };

const servers = {
  https: ['tls-worker', 'one that ends TLS'],
  http2: ['tls-worker', 'one that ends TLS'],
  h2c: ['h2c-worker', 'one of HTTP/2'],
} as const;

function testServerOfOtherKind(name: keyof typeof servers, way: 'passthru' | 'forward'): void {
  test(`a server of ${name} for ${way} does not start, and ready() has the reason`, async () => {
    const [module, got] = servers[name];
    const router = createSocketRouter({
      ...(way === 'passthru' ? { mode: 'passthru' } : { laterRequests: 'forward' }),
      workers: forkWorkers(new URL(`../workers/${module}.mjs`, import.meta.url), {
        ...once,
        execArgv,
        env: { ...process.env, SERVER: name, ROUTE: 'any' },
      }),
    });
    onTestFinished(() => router.close({ graceMs: 500 }));
    const error = await router.ready().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'ERR_CIRCUIT_OPEN' });
    expect(inspect(error)).toContain(
      `Cannot attach server: \`server\` must be an http server with \`mode\` passthru or \`laterRequests\` forward, got ${got}`,
    );
  });
}

const failing = new URL('../workers/failing-worker.mjs', import.meta.url);

interface Opened {
  readonly router: SocketRouter;
  readonly port: number;
  readonly circuits: RouterEvents['circuit-open'][];
  /** Has the workers start from now on. */
  repair(): void;
}

/** Opens a router whose workers fail in a way until `repair()`. */
async function open(
  fails: string,
  options: Partial<ForkOptions> = {},
  module = failing,
): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'failing-'));
  const file = join(folder, 'repaired');
  const router = createSocketRouter({
    mode: 'socket',
    workers: forkWorkers(module, {
      workers: 2,
      execArgv,
      restart,
      env: { ...process.env, FAILS: fails, UNTIL: file },
      ...options,
    }),
  });
  onTestFinished(async () => {
    await router.close({ graceMs: 500 });
    rmSync(folder, { recursive: true });
  });
  const circuits: RouterEvents['circuit-open'][] = [];
  router.on('circuit-open', (data) => circuits.push(data));
  const { port } = await router.listen({ port: 0, host: '127.0.0.1' });
  return { router, port, circuits, repair: () => writeFileSync(file, '') };
}

const ends = {
  throw: ['TypeError: no database', { exitCode: 1, signal: undefined }],
  exit: [
    /^Worker of slot `\d` ended with exit code 3 before it served; it must call `attachServer` and stay alive$/,
    { exitCode: 3 },
  ],
  'silent-kill': [
    /^Worker of slot `\d` ended by SIGKILL before it served; it must call `attachServer` and stay alive$/,
    { signal: 'SIGKILL' },
  ],
} as const;

/** The reason of a circuit that opens since workers end in a way before they serve. */
function testFailedStart(fails: keyof typeof ends): void {
  test(`workers that ${fails} before they serve open the circuit with the reason`, async () => {
    const [message, data] = ends[fails];
    const { router } = await open(fails, once);
    const { cause } = await router.ready().catch((reason) => reason);
    expect(cause.message).toMatch(message);
    expect(cause.data).toMatchObject(data);
  });
}

test('a wrong path of workers: ready() rejects with the reason, and clients get 503 at once', async () => {
  const missing = new URL('../workers/missing-worker.mjs', import.meta.url);
  const { router, port, circuits } = await open('', { restart: once.restart }, missing);
  const waits = ask(port);
  const error = await router.ready().catch((reason) => reason);
  expect(error).toMatchObject({
    name: 'RouterError',
    code: 'ERR_CIRCUIT_OPEN',
    message: `Workers keep failing to start: Cannot find module '${missing.pathname}'`,
    cause: {
      code: 'ERR_WORKER_LOST',
      message: `Cannot find module '${missing.pathname}'`,
      data: { exitCode: 1, stderrTail: expect.stringContaining('MODULE_NOT_FOUND') },
    },
  });
  expect((await waits).status).toBe(503);
  expect((await ask(port)).status).toBe(503);
  expect(circuits).toEqual([{ slots: ['0', '1'], error: error.cause }]);
});

testFailedStart('throw');

test('a worker that attaches no server is killed after startTimeoutMs', async () => {
  const { router } = await open('hang', { ...once, startTimeoutMs: 400 });
  const { pid } = router.stats().workers[0] ?? {};
  const { cause } = await router.ready().catch((reason) => reason);
  expect(cause).toMatchObject({
    code: 'ERR_START_TIMEOUT',
    message:
      'Worker of slot `0` did not serve within `startTimeoutMs` (400 ms); it must call `attachServer`',
    data: { slot: '0', pid, limit: 400 },
  });
  expect(lives(pid as number)).toBe(false);
});

test('probes: one process at a time, and all slots again when one serves', async () => {
  const { router, port, circuits, repair } = await open('exit', { workers: 3 });
  await expect(router.ready()).rejects.toMatchObject({ code: 'ERR_CIRCUIT_OPEN' });
  const starting = (): number =>
    router.stats().workers.filter(({ state }) => state === 'starting').length;
  // Those that were on their way when the circuit opened.
  await until(() => starting() === 0);
  // Asked within the event: the next probe may start before a promise of it settles.
  const besides: number[] = [];
  router.on('worker-down', () => besides.push(starting()));
  await until(() => besides.length >= 3);
  expect(besides).toEqual(besides.map(() => 0));
  expect((await ask(port)).status).toBe(503);
  repair();
  await until(() => router.stats().workers.filter(({ state }) => state === 'ready').length === 3);
  await router.ready();
  expect((await ask(port)).status).toBe(200);
  // Each probe that fails is the same outage.
  expect(circuits).toHaveLength(1);
});

test('close() during failed starts and probes leaves no process', async () => {
  const { router, repair } = await open('exit');
  await expect(router.ready()).rejects.toMatchObject({ code: 'ERR_CIRCUIT_OPEN' });
  const closed = router.close({ graceMs: 500 });
  repair();
  await closed;
  await router.ready();
  expect(router.stats().workers).toEqual([]);
});

test.each([
  ['Error: no\n    at a.js:1', 'no'],
  ['Error [ERR_X]: no module\n  code', 'no module'],
  ['Error: first\nnode:1\nRangeError [ERR_Y]: last\n    at x', 'RangeError: last'],
  ['Uncaught TypeError: x', 'TypeError: x'],
  ['DatabaseException: down', 'DatabaseException: down'],
  ['warning: Error: no', undefined],
  ['', undefined],
])('reasonIn(%j)', (tail, reason) => {
  expect(reasonIn(tail)).toBe(reason);
});

testServerOfOtherKind('https', 'forward');
if (isFullScale()) {
  testServerOfOtherKind('https', 'passthru');
  testServerOfOtherKind('http2', 'passthru');
  testServerOfOtherKind('h2c', 'passthru');
  testFailedStart('exit');
  testFailedStart('silent-kill');
}

test.runIf(isFullScale())(
  'a worker that served and ends is no failed start: its slot is filled again, and no circuit opens',
  async () => {
    const { router, circuits, repair } = await open('exit', once);
    await expect(router.ready()).rejects.toMatchObject({ code: 'ERR_CIRCUIT_OPEN' });
    repair();
    await nextEvent(router, 'worker-ready');
    for (let round = 0; round < 3; round++) {
      const ready = nextEvent(router, 'worker-ready');
      process.kill(router.stats().workers[0]?.pid as number, 'SIGKILL');
      await ready;
    }
    expect(circuits).toHaveLength(1);
  },
);
