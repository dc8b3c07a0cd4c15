import { once } from 'node:events';
import { lives } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { createSocketRouter } from '../src/index.ts';
import { ask, open, received } from './clients.ts';
import { nextReport, startProgram } from './programs.ts';
import { openRouter } from './router-fixture.ts';

test.each([
  ['socket', 'SIGTERM'],
  ['socket', 'SIGINT'],
  ['passthru', 'SIGTERM'],
] as const)(
  'signals, mode %s: %s lets a request finish and ends workers and program with 0; a second one changes nothing',
  async (mode, signal) => {
    const program = startProgram('router-program.mjs', [mode, '2', 'signals']);
    const { port, pids } = await nextReport(program);
    const socket = await open(port);
    socket.write('GET /write?ms=300 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    // On another connection, when that one is taken.
    expect((await ask(port)).status).toBe(200);
    const ended = once(program, 'exit');
    program.kill(signal);
    program.kill(signal);
    // The channel to this process would hold it.
    program.disconnect();
    expect(await received(socket)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await ended).toEqual([0, null]);
    expect(pids.filter(lives)).toEqual([]);
  },
);

test('signals: a router listens to no signal without the option, nor after its end', async () => {
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  const listeners = () => signals.map((signal) => process.listenerCount(signal));
  const before = listeners();
  await openRouter({ count: 1 });
  expect(listeners()).toEqual(before);
  const { router } = await openRouter({ count: 1, signals: true });
  expect(listeners()).toEqual(before.map((count) => count + 1));
  await router.close();
  expect(listeners()).toEqual(before);
});

test('signals: SIGHUP reloads the sources that can be reloaded', async () => {
  let reloads = 0;
  const reloading = {
    subscribe: () => () => {},
    reload: async () => {
      reloads += 1;
      throw new Error('no');
    },
  };
  const router = createSocketRouter({ workers: reloading, signals: true });
  process.emit('SIGHUP');
  await router.close();
  expect(reloads).toBe(1);
});
