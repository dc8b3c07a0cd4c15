import { type ChannelListener, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, expect, test } from 'vitest';
import type { ResilienceMessages } from '../src/index.ts';
import { deferred, refused, testGuard } from './test-guard.ts';

const heard: [string, unknown][] = [];
const listening: [string, ChannelListener][] = [];

function listen(...names: (keyof ResilienceMessages)[]): void {
  for (const name of names) {
    const listener: ChannelListener = (message) =>
      heard.push([name.slice(name.lastIndexOf(':') + 1), message]);
    subscribe(name, listener);
    listening.push([name, listener]);
  }
}

afterEach(() => {
  for (const [name, listener] of listening.splice(0)) unsubscribe(name, listener);
  heard.length = 0;
});

test('a circuit, its pauses and its retries are published', async () => {
  listen(
    'ticketing:resilience:circuit',
    'ticketing:resilience:pause',
    'ticketing:resilience:retry',
  );
  const { guard, clock } = testGuard({
    circuit: { minCalls: 2, openMs: 100, probes: 1 },
    retry: { baseMs: 10 },
    random: () => 0.5,
  });
  const down = new Error('down');
  const call = refused(guard.run(() => Promise.reject(down)));
  await clock.advance(0);
  clock.turn();
  await clock.advance(5);
  await call;
  await clock.advance(100);
  const busy = Object.assign(new Error('429'), { status: 429, retryAfterMs: 20 });
  await refused(guard.run(() => Promise.reject(busy)));
  await clock.advance(20);
  await guard.run(() => 1);
  expect(heard).toEqual([
    ['retry', { name: 'test', attempt: 2, delayMs: 5, error: down }],
    ['circuit', { name: 'test', state: 'open', from: 'closed', openMs: 100 }],
    ['circuit', { name: 'test', state: 'half-open', from: 'open', openMs: undefined }],
    ['pause', { name: 'test', pauseMs: 20, error: busy }],
    ['circuit', { name: 'test', state: 'closed', from: 'half-open', openMs: undefined }],
  ]);
});

test('hedges and changes of an adaptive limit are published', async () => {
  listen('ticketing:resilience:hedge', 'ticketing:resilience:limit');
  const { guard, clock } = testGuard({
    hedge: { minMs: 4, minSamples: 1 },
    concurrency: { adaptive: { initial: 10 } },
    attemptTimeoutMs: 20,
  });
  await guard.run(() => 1);
  const end = deferred<number>();
  const call = guard.run(({ kind }) => (kind === 'hedge' ? end.promise : new Promise(() => {})));
  clock.turn();
  await clock.advance(20);
  end.resolve(1);
  await call;
  expect(heard).toEqual([
    ['hedge', { name: 'test', attempt: 2, afterMs: 4 }],
    ['limit', { name: 'test', limit: 9, from: 10 }],
  ]);
});
