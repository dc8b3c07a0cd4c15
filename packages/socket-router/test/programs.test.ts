import { once } from 'node:events';
import { lives, until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { askWorker, open, received } from './clients.ts';
import { nextReport, startProgram } from './programs.ts';

test('a worker whose router was killed writes to standard error, and still answers its requests', async () => {
  // Only its last answer ends the worker: on a busy machine this one may take any time.
  const program = startProgram('router-program.mjs', ['socket', '1'], { ORPHAN_GRACE_MS: '60000' });
  const { port, pids } = await nextReport(program);
  const socket = await open(port);
  // It is answered after the end of the router.
  socket.write('GET /write HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  // On another connection, when that one is taken.
  expect((await askWorker(port)).stats).toMatchObject({ claimed: 2 });
  program.kill('SIGKILL');
  expect(await received(socket)).toMatch(/^HTTP\/1\.1 200 /);
  await until(() => !pids.some(lives));
});

test('forkWorkers of a program with --inspect: each worker has a port of its own, which a channel of diagnostics names', async () => {
  const program = startProgram('inspected-program.mjs', []);
  const [{ own, urls }] = (await once(program, 'message')) as [{ own: string; urls: string[] }];
  const ports = [own, ...urls].map((url) => new URL(url).port);
  expect(new Set(ports).size).toBe(3);
});
