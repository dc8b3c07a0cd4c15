import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { checkHeldOutput } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { create, execArgv, leaveNothing } from '../piscina-fixture.ts';

leaveNothing();

test('tasks in the file of the main program: one thread starts, and its error names the cure', () => {
  const file = fileURLToPath(new URL('../fixtures/main-and-tasks.ts', import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, [...execArgv, file], { encoding: 'utf8' });
  expect(stderr).toBe('start\nstart\n');
  expect(stdout).toBe(
    'ERR_CIRCUIT_OPEN: Workers keep failing to start: Cannot create dispatcher: this program was started as a worker of the same `module`, and its own workers would start more without end; keep the tasks in a separate file\n',
  );
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

test('the program of the threads explains itself when it is loaded directly', async () => {
  const program = fileURLToPath(new URL('../../src/dispatch-piscina-worker.ts', import.meta.url));
  const child = spawn(process.execPath, [...execArgv, program], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  expect(await text(child.stderr)).toContain(
    'TypeError: Cannot serve tasks: @ticketing/dispatch-piscina/worker is the program of a thread, which createPiscinaDispatcher starts; for a dispatcher import @ticketing/dispatch-piscina',
  );
  expect(await ended).toEqual([1, null]);
});

test('the program of the threads can be elsewhere', async () => {
  const workerUrl = new URL('../fixtures/worker-elsewhere.ts', import.meta.url);
  expect(await create({ workerUrl }).run('env', 'ELSEWHERE')).toBe('yes');
});

test('a program of the threads that fails opens the circuit, whose message has its reason', async () => {
  const workerUrl = new URL('../fixtures/failing-thread.mjs', import.meta.url);
  const dispatcher = create({ workerUrl, restart: { maxFailures: 0 } });
  await expect(dispatcher.run('echo', 1)).rejects.toMatchObject({
    code: 'ERR_CIRCUIT_OPEN',
    message:
      'Workers keep failing: Worker ended with exit code 1 before it had answered a call: no licence',
  });
});

test('a program that comes to its end without close() ends', async () => {
  const file = fileURLToPath(new URL('../fixtures/finishing-program.ts', import.meta.url));
  const program = spawn(process.execPath, [...execArgv, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(program.stdout), once(program, 'exit')]);
  expect([output, code]).toEqual(['done\n', 0]);
});

test('output: a thread that writes 16 MB waits while its reader does: no more than a chunk is on our side', async () => {
  await checkHeldOutput(create);
});
