import { fork } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { createSocketRouter, type WorkerChannel } from '../../src/index.ts';
import { ask, oneConnection, open, received } from '../clients.ts';
import { openRouter } from '../router-fixture.ts';
import { execArgv } from '../worker-processes.ts';

test.each([
  ['socket', 'a connection each'],
  ['socket', 'one connection'],
  ['passthru', 'a connection each'],
  ['passthru', 'one connection'],
] as const)(
  'mode %s: workers that retire one after the other lose no request of clients with %s',
  async (mode, which) => {
    // A client that keeps its connection has as long for its next request; the worker leaves as soon as all have sent one.
    const env = { LAME_DUCK_MS: mode === 'socket' ? '30000' : '100' };
    const { port, router, pids } = await openRouter({ mode, own: true, env });
    let sent = 0;
    const failures: unknown[] = [];
    let going = true;
    const load = async (): Promise<void> => {
      const agent = which === 'one connection' ? { agent: oneConnection() } : {};
      while (going) {
        const { status } = await ask(port, { path: '/later?ms=5', ...agent }).catch((error) => ({
          status: error,
        }));
        sent += 1;
        if (status !== 200) failures.push(status);
      }
      agent.agent?.destroy();
    };
    const clients = Array.from({ length: 8 }, load);
    for (const pid of pids()) {
      await new Promise<void>((resolve) => {
        router.on('worker-down', (event) => {
          if (event.pid === pid) resolve();
        });
        process.kill(pid, 'SIGUSR2');
      });
      await until(
        () => router.stats().workers.filter(({ state }) => state === 'ready').length === 2,
      );
    }
    going = false;
    await Promise.all(clients);
    expect(sent).toBeGreaterThan(50);
    expect(failures).toEqual([]);
  },
);

test('close() leaves no connection open when a worker is stopped', async () => {
  const { port, router, pids } = await openRouter({ own: true, count: 1 });
  process.kill(pids()[0] ?? 0, 'SIGSTOP');
  const socket = await open(port);
  const end = received(socket).catch(() => 'reset');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await until(() => router.stats().workers[0]?.queued === 1);
  await router.close({ graceMs: 100 });
  // It is on its way to the worker, and may not be answered by two: it ends without an answer.
  expect(['', 'reset']).toContain(await end);
  expect(router.stats()).toMatchObject({ state: 'closed', reading: 0, waiting: 0, workers: [] });
});

test('a worker that starts while its router closes ends without an error', async () => {
  const child = fork(new URL('../workers/http-worker.mjs', import.meta.url), {
    serialization: 'advanced',
    execArgv: [...execArgv],
    silent: true,
  });
  const router = createSocketRouter({
    mode: 'passthru',
    workers: {
      subscribe: (listener) => {
        listener({ slot: '0', pid: child.pid, channel: child as WorkerChannel });
        return () => {};
      },
    },
  });
  // It has its greeting, and reads it when the folder for unix sockets is gone.
  child.kill('SIGSTOP');
  await router.close();
  child.kill('SIGCONT');
  const written = text(child.stderr as NonNullable<typeof child.stderr>);
  child.disconnect();
  const [code] = await once(child, 'exit');
  expect([await written, code]).toEqual(['', 0]);
});
