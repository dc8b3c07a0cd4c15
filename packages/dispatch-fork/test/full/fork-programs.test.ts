import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { gone } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { createForkDispatcher } from '../../src/index.ts';
import type { NestingTasks } from '../fixtures/nesting-tasks.ts';
import { endAfterEach, execArgv, open, program } from '../fork-fixture.ts';
import { testGroupSignals } from '../group-signals.ts';

endAfterEach();

testGroupSignals(['SIGINT', 'SIGHUP']);

test('tasks in the file of the main program: one worker starts, and its error names the cure', () => {
  const file = fileURLToPath(new URL('../fixtures/main-and-tasks.ts', import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, [...execArgv, file], { encoding: 'utf8' });
  expect(stderr).toBe('start\nstart\n');
  expect(stdout).toBe(
    'ERR_CIRCUIT_OPEN: Workers keep failing to start: Cannot create dispatcher: this program was started as a worker of the same `module`, and its own workers would start more without end; keep the tasks in a separate file, and in a single executable set `execPath` to the path of a Node\n',
  );
});

test('a program in the place of the workers, as in a single executable: it ends with that error', () => {
  const workerUrl = new URL('../fixtures/main-and-tasks.ts', import.meta.url);
  const env = { ...process.env, TICKETING_WORKER_MODULES: workerUrl.href };
  const { stdout, status } = spawnSync(process.execPath, [...execArgv, fileURLToPath(workerUrl)], {
    encoding: 'utf8',
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect([stdout, status]).toEqual(['', 1]);
});

test('workers may start workers of another module, and in a call of their own', async () => {
  const nesting = new URL('../fixtures/nesting-tasks.ts', import.meta.url);
  const dispatcher = createForkDispatcher<NestingTasks>(nesting, { max: 1, execArgv });
  open.push(dispatcher);
  const pids = await dispatcher.run('pids', 2);
  expect(new Set(pids).size).toBe(4);
});

test('the program of the workers explains itself when it is loaded directly', async () => {
  const program = fileURLToPath(new URL('../../src/dispatch-fork-worker.ts', import.meta.url));
  for (const stdio of [
    ['ignore', 'ignore', 'pipe'],
    ['ignore', 'ignore', 'pipe', 'ipc'],
  ] as const) {
    const child = spawn(process.execPath, ['--conditions=@ticketing/source', program], {
      stdio: [...stdio],
    });
    const ended = once(child, 'exit');
    const complaint = await text(child.stderr as Readable);
    expect(complaint).toContain(
      'TypeError: Cannot serve tasks: @ticketing/dispatch-fork/worker is the program of a worker, which createForkDispatcher starts; for a dispatcher import @ticketing/dispatch-fork',
    );
    expect(await ended).toEqual([1, null]);
  }
});

test('a program that comes to its end without close() ends, and its workers with it', async () => {
  const finishing = program(new URL('../fixtures/finishing-program.ts', import.meta.url));
  const [output, [code]] = await Promise.all([text(finishing.stdout), once(finishing, 'exit')]);
  expect(code).toBe(0);
  await gone(Number(output), 1000);
});
