import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { threadId } from 'node:worker_threads';
import type { Dispatcher } from '@ticketing/dispatch';
import {
  afterAll,
  afterEach,
  beforeAll,
  expect,
  expectTypeOf,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { createPiscinaDispatcher, type PiscinaOptions } from '../src/index.ts';
import type { Tasks } from './fixtures/tasks.ts';

const module = new URL('fixtures/tasks.ts', import.meta.url);
const execArgv = ['--conditions=@ticketing/source'];
const open: { close(): Promise<void> }[] = [];
const escaped: unknown[] = [];
const note = (error: unknown) => escaped.push(error);
const ports = () =>
  process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
let before = 0;

beforeAll(() => {
  before = ports();
  process.on('uncaughtException', note).on('unhandledRejection', note);
});
afterAll(() => {
  process.off('uncaughtException', note).off('unhandledRejection', note);
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((dispatcher) => dispatcher.close()));
  // Handles are closed at the end of a turn of the event loop.
  await setImmediate();
  await setImmediate();
  expect(ports()).toBe(before);
  expect(escaped).toEqual([]);
});

test('tasks in the file of the main program: one thread starts, and its error names the cure', () => {
  const file = fileURLToPath(new URL('fixtures/main-and-tasks.ts', import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, [...execArgv, file], { encoding: 'utf8' });
  expect(stderr).toBe('start\nstart\n');
  expect(stdout).toBe(
    'ERR_CIRCUIT_OPEN: Workers keep failing to start: Cannot create dispatcher: this program was started as a worker of the same `module`, and its own workers would start more without end; keep the tasks in a separate file\n',
  );
});

test('a dispatcher is typed by its module, or by a map of tasks', () => {
  const create = () => createPiscinaDispatcher<typeof import('./fixtures/tasks.ts')>(module);
  expectTypeOf(create).returns.toEqualTypeOf<Dispatcher<Tasks>>();
  expectTypeOf(() => createPiscinaDispatcher<Tasks>(module)).returns.toEqualTypeOf<
    Dispatcher<Tasks>
  >();
});

function create(options: PiscinaOptions = {}) {
  const dispatcher = createPiscinaDispatcher<Tasks>(module, { max: 1, execArgv, ...options });
  open.push(dispatcher);
  return dispatcher;
}

test('tasks run in other threads', async () => {
  const dispatcher = create({ max: 2 });
  expect(dispatcher).toMatchObject({
    kind: 'piscina',
    capabilities: { isolation: 'thread', hardKill: true, transfer: true, streams: true },
  });
  await dispatcher.ready();
  const ran = await dispatcher.run('threadId', undefined);
  const { workers } = dispatcher.stats();
  expect(workers.map(({ pid }) => pid)).toEqual([process.pid, process.pid]);
  const ids = workers.map((worker) => worker.threadId);
  expect(ids).toContain(ran);
  expect(new Set([...ids, threadId]).size).toBe(3);
});

test('a large answer, and JSON as bytes, arrive', async () => {
  const dispatcher = create();
  expect(await dispatcher.run('bytes', 5_000_000)).toHaveLength(5_000_000);
  expect(String(await dispatcher.run('json', { a: [1] }))).toBe('{"a":[1]}');
});

test('buffers are moved, not copied', async () => {
  const dispatcher = create();
  const bytes = Uint8Array.of(1, 2, 3);
  const doubled = await dispatcher.run('double', bytes, { transfer: [bytes.buffer] });
  expect(doubled).toEqual(Uint8Array.of(2, 4, 6));
  expect(bytes).toHaveLength(0);
});

test('a buffer that cannot be moved rejects its task alone', async () => {
  const dispatcher = create();
  const gone = new ArrayBuffer(8);
  structuredClone(gone, { transfer: [gone] });
  const refused = dispatcher.run('echo', 'refused', { transfer: [gone] });
  const beside = dispatcher.run('echo', 'beside');
  await expect(refused).rejects.toMatchObject({ code: 'ERR_NOT_CLONEABLE' });
  expect(await beside).toBe('beside');
});

test('the end of a thread is reported with all known facts', async () => {
  const dispatcher = create({ resourceLimits: { maxOldGenerationSizeMb: 24 } });
  const lost = { code: 'ERR_WORKER_LOST', data: { pid: process.pid, exitCode: 1, stderrTail: '' } };
  await expect(dispatcher.run('exit', 3)).rejects.toMatchObject({
    ...lost,
    data: { exitCode: 3 },
  });
  await expect(dispatcher.run('throwLater', 'in a timer')).rejects.toMatchObject({
    ...lost,
    cause: { message: 'in a timer' },
  });
  await expect(dispatcher.run('fill', undefined)).rejects.toMatchObject({
    ...lost,
    cause: { code: 'ERR_WORKER_OUT_OF_MEMORY' },
  });
  expect(await dispatcher.run('echo', 'next')).toBe('next');
});

test('a task without end is ended', async () => {
  const dispatcher = create({ abortGraceMs: 0 });
  const spinning = dispatcher.run('spin', undefined, { runTimeoutMs: 50 });
  await expect(spinning).rejects.toMatchObject({ code: 'ERR_RUN_TIMEOUT' });
  expect(await dispatcher.run('echo', 'next')).toBe('next');
});

test('close() ends a task without end', async () => {
  const dispatcher = create({ abortGraceMs: 0 });
  let spinning: Promise<unknown> | undefined;
  await new Promise((resolve) => {
    spinning = dispatcher.run('spin', undefined, { onProgress: resolve });
    spinning.catch(() => {});
  });
  await dispatcher.close();
  expect(dispatcher.state).toBe('closed');
  expect(dispatcher.stats().workers).toEqual([]);
  await expect(spinning).rejects.toMatchObject({ code: 'ERR_CLOSED' });
});

test('the program of the threads explains itself when it is loaded directly', async () => {
  const program = fileURLToPath(new URL('../src/dispatch-piscina-worker.ts', import.meta.url));
  const child = spawn(process.execPath, [...execArgv, program], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  expect(await text(child.stderr)).toContain(
    'TypeError: Cannot serve tasks: @ticketing/dispatch-piscina/worker is the program of a thread, which createPiscinaDispatcher starts; for a dispatcher import @ticketing/dispatch-piscina',
  );
  expect(await ended).toEqual([1, null]);
});

test('threads have the environment and Node options that are given', async () => {
  const env = { ...process.env, GIVEN: 'yes', HOME: undefined };
  const dispatcher = create({ env, execArgv: [...execArgv, '--no-warnings'] });
  expect(await dispatcher.run('env', 'GIVEN')).toBe('yes');
  expect(await dispatcher.run('env', 'HOME')).toBe(undefined);
  expect(await dispatcher.run('execArgv', undefined)).toContain('--no-warnings');
});

test('the program of the threads can be elsewhere', async () => {
  const workerUrl = new URL('fixtures/worker-elsewhere.ts', import.meta.url);
  expect(await create({ workerUrl }).run('env', 'ELSEWHERE')).toBe('yes');
});

test('a program of the threads that fails opens the circuit, whose message has its reason', async () => {
  const workerUrl = new URL('fixtures/failing-thread.mjs', import.meta.url);
  const dispatcher = create({ workerUrl, restart: { maxFailures: 0 } });
  await expect(dispatcher.run('echo', 1)).rejects.toMatchObject({
    code: 'ERR_CIRCUIT_OPEN',
    message:
      'Workers keep failing: Worker ended with exit code 1 before it had answered a call: no licence',
  });
});

test('a program that comes to its end without close() ends', async () => {
  const file = fileURLToPath(new URL('fixtures/finishing-program.ts', import.meta.url));
  const program = spawn(process.execPath, [...execArgv, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(program.stdout), once(program, 'exit')]);
  expect([output, code]).toEqual(['done\n', 0]);
});

test('output: a function gets what the threads write, by stream and worker', async () => {
  const said: Record<string, string> = {};
  const dispatcher = create({
    output: (chunk, { stream, workerId }) => {
      said[`${stream} ${workerId}`] = (said[`${stream} ${workerId}`] ?? '') + String(chunk);
    },
  });
  await dispatcher.run('say', 'héllo\n');
  await dispatcher.close();
  expect(said).toEqual({ 'stdout 1': 'héllo\n', 'stderr 1': 'héllo\n' });
});

test('output: ignore drops it', async () => {
  const outputs = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write'));
  onTestFinished(() => void vi.restoreAllMocks());
  const dispatcher = create({ output: 'ignore' });
  await dispatcher.run('say', 'not to be seen');
  await dispatcher.close();
  const seen = outputs.flatMap(({ mock }) => mock.calls.map(([chunk]) => String(chunk)));
  expect(seen.filter((chunk) => chunk.includes('not to be seen'))).toEqual([]);
});

test('output: a thread that writes 16 MB waits while its reader does: no more than a chunk is on our side', async () => {
  let bytes = 0;
  let held = 0;
  let most = 0;
  const dispatcher = create({
    output: async (chunk) => {
      bytes += chunk.length;
      held += 1;
      most = Math.max(most, held);
      await setImmediate();
      held -= 1;
    },
  });
  await dispatcher.run('flood', 256);
  await dispatcher.close();
  expect([bytes, most]).toEqual([256 * 64 * 1024, 1]);
});
