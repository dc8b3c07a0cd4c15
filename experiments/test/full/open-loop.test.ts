import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { type Answer, openLoop } from '../../src/loading/open-loop.ts';
import { runLoad } from '../../src/scenarios/run-load.ts';
import { createFakeClock } from '../fake-clock.ts';

const turn = () => new Promise(setImmediate);

test('openLoop() sends at its rate while nothing is answered', async () => {
  const clock = createFakeClock();
  let sent = 0;
  const gate = Promise.withResolvers<boolean>();
  const loop = openLoop({
    perSecond: 100,
    maxInFlight: 1000,
    clock,
    send() {
      sent += 1;
      return gate.promise;
    },
  });
  clock.advance(995);
  expect(sent).toBe(100);
  gate.resolve(true);
  await loop.stop();
  clock.advance(1000);
  expect(sent).toBe(100);
});

test('openLoop() counts latency from when a request was due, though a timer is late', async () => {
  const clock = createFakeClock();
  const answers: Answer[] = [];
  const loop = openLoop({
    perSecond: 10,
    maxInFlight: 100,
    // The loop is held for half a second: what is due meanwhile goes out after it.
    clock: { ...clock, after: (ms, call) => clock.after(ms + 500, call) },
    send: async () => true,
    onAnswer: (answer) => answers.push(answer),
  });
  await turn();
  clock.advance(600);
  await loop.stop();
  expect(answers.map(({ dueMs }) => dueMs)).toEqual([0, 100, 200, 300, 400, 500, 600]);
  expect(answers.map(({ ms }) => ms)).toEqual([0, 500, 400, 300, 200, 100, 0]);
});

test('openLoop() does not send beyond its bound, and says so', async () => {
  const clock = createFakeClock();
  const gate = Promise.withResolvers<boolean>();
  const kinds: string[] = [];
  const loop = openLoop({
    perSecond: 10,
    maxInFlight: 2,
    clock,
    send: () => gate.promise,
    onAnswer: ({ kind }) => kinds.push(kind),
  });
  clock.advance(450);
  expect(kinds).toEqual(['not-sent', 'not-sent', 'not-sent']);
  gate.reject(new Error('gone'));
  await turn();
  expect(kinds.slice(3)).toEqual(['failed', 'failed']);
  await loop.stop();
});

test('runLoad() keeps its rate beside a server that answers late, and a second row has it', async () => {
  const server = createServer((request, response) => {
    const delayMs = request.url === '/slow' ? 700 : 0;
    setTimeout(() => response.end('{}'), delayMs);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const shown: number[] = [];
  const rows = await runLoad({
    url,
    path: '/slow',
    perSecond: 40,
    seconds: 2,
    onRow: ({ second }) => shown.push(second),
  });
  server.close();
  expect(rows.map(({ sent, answered, failed }) => [sent, answered, failed])).toEqual([
    [40, 40, 0],
    [40, 40, 0],
  ]);
  expect(rows[0]?.p50Ms).toBeGreaterThan(690);
  expect(shown).toEqual([0, 1]);
});
