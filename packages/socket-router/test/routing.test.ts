import { hashText } from '@ticketing/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { leastLoaded, queueOfKey } from '../src/placing/choose-worker.ts';
import type { WorkerQueue } from '../src/placing/worker-queue.ts';
import { homeSlot } from '../src/worker/forwarding.ts';
import { ask, askWorker } from './clients.ts';
import { openRouter } from './router-fixture.ts';

const slots = Array.from({ length: 16 }, (_, index) => String(index));
const keys = Array.from({ length: 20_000 }, (_, index) => `key-${index}`);

function queues(loads: readonly number[]): WorkerQueue[] {
  return loads.map(
    (load, index) =>
      ({ load, slotHash: hashText(String(index)), worker: { slot: String(index) } }) as WorkerQueue,
  );
}

test('homeSlot() spreads keys evenly, and moves only the keys of a slot that leaves', () => {
  const homes = keys.map((key) => homeSlot(key, slots));
  const counts = slots.map((slot) => homes.filter((home) => home === slot).length);
  expect(Math.max(...counts) / (keys.length / slots.length)).toBeLessThan(1.1);
  const left = slots.filter((slot) => slot !== '5');
  for (const [index, key] of keys.entries()) {
    if (homes[index] !== '5') expect(homeSlot(key, left)).toBe(homes[index]);
  }
  expect(homeSlot('any', [])).toBeUndefined();
});

test('queueOfKey() is homeSlot() while loads are equal', () => {
  for (const key of keys.slice(0, 1000)) {
    expect(queueOfKey(queues(slots.map(() => 3)), key, 1.25)?.worker.slot).toBe(
      homeSlot(key, slots),
    );
  }
});

test('queueOfKey() never gives a queue more than its share of the load', () => {
  const load = fc.array(fc.nat(50), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(
      load,
      fc.string(),
      fc.double({ min: 1, max: 3, noNaN: true }),
      (loads, key, factor) => {
        const chosen = queueOfKey(queues(loads), key, factor);
        const total = loads.reduce((sum, one) => sum + one, 1);
        expect(chosen).toBeDefined();
        expect((chosen?.load ?? 0) + 1).toBeLessThanOrEqual(
          Math.max(8, Math.ceil((factor * total) / loads.length)),
        );
      },
    ),
  );
});

test('a hot key fills its own worker up to the bound, and then other workers', () => {
  const loads = [0, 0, 0, 0];
  for (let connection = 0; connection < 400; connection++) {
    const chosen = queueOfKey(queues(loads), 'hot', 1.25);
    loads[Number(chosen?.worker.slot)] = (chosen?.load ?? 0) + 1;
  }
  expect(Math.max(...loads)).toBe(125);
  const alone = [0, 0, 0, 0];
  for (let connection = 0; connection < 400; connection++) {
    const chosen = queueOfKey(queues(alone), 'hot', Number.POSITIVE_INFINITY);
    alone[Number(chosen?.worker.slot)] = (chosen?.load ?? 0) + 1;
  }
  expect(Math.max(...alone)).toBe(400);
});

test('leastLoaded() takes turns among equals', () => {
  const equal = queues([2, 2, 2]);
  expect([0, 1, 2, 3].map((turn) => leastLoaded(equal, turn)?.worker.slot)).toEqual([
    '0',
    '1',
    '2',
    '0',
  ]);
  expect(leastLoaded(queues([3, 1, 2]), 2)?.worker.slot).toBe('1');
  expect(leastLoaded([], 0)).toBeUndefined();
});

test.each(['socket', 'passthru'] as const)(
  'mode %s: equal keys reach one worker, slots their own',
  async (mode) => {
    const { port, pids } = await openRouter({
      mode,
      count: 3,
      route: ({ target = '', header }) =>
        target.startsWith('/slot') ? { slot: target.slice(6) } : { key: header?.('X-Key') ?? '' },
    });
    const byKey = (key: string) => askWorker(port, { headers: { 'x-key': key } });
    for (const key of ['a', 'b', 'c', 'd', 'e']) {
      const home = pids()[Number(homeSlot(key, ['0', '1', '2']))];
      const reply = [await byKey(key), await byKey(key), await byKey(key)];
      expect(reply.map(({ pid }) => pid)).toEqual([home, home, home]);
    }
    for (const slot of [0, 1, 2]) {
      expect((await askWorker(port, { path: `/slot/${slot}` })).pid).toBe(pids()[slot]);
    }
    expect((await ask(port, { path: '/slot/7' })).status).toBe(503);
  },
);

test.each(['socket', 'passthru'] as const)(
  'mode %s: a route may refuse; one that fails refuses with 500',
  async (mode) => {
    const routes: Record<string, () => unknown> = {
      '/refuse': () => ({ refuse: 429 }),
      '/throw': () => {
        throw new Error('a bug');
      },
      '/wrong': () => ({ refuse: 200 }),
      '/slot': () => ({ slot: 0 }),
      '/key': () => ({ key: 7 }),
      '/text': () => 'slot',
      '/null': () => null,
      '/promise': () => Promise.reject(new Error('a bug')),
    };
    const { port, router } = await openRouter({
      mode,
      count: 1,
      route: ({ target = '' }) => routes[target]?.() as undefined,
    });
    const refused: unknown[] = [];
    router.on('refused', (data) => refused.push(data));
    const paths = [
      '/refuse',
      '/throw',
      '/wrong',
      '/slot',
      '/key',
      '/text',
      '/null',
      '/promise',
      '/',
    ];
    const statuses = [];
    for (const path of paths) statuses.push((await ask(port, { path })).status);
    expect(statuses).toEqual([429, 500, 500, 500, 500, 500, 500, 500, 200]);
    expect(refused).toEqual([
      { status: 429, reason: 'route' },
      { status: 500, reason: 'route-threw' },
      { status: 500, reason: 'refuse-out-of-range' },
      { status: 500, reason: 'slot-is-no-text' },
      { status: 500, reason: 'key-is-no-text' },
      { status: 500, reason: 'route-invalid' },
      { status: 500, reason: 'route-invalid' },
      { status: 500, reason: 'route-invalid' },
    ]);
    expect(router.stats().refused).toBe(8);
  },
);
