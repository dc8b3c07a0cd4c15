import { getEventListeners } from 'node:events';
import { createManualClock } from '@ticketing/test-kit';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { createInProcessDispatcher, defineTasks } from '../../src/index.ts';
import { TimeLimits } from '../../src/kernel/limits/time-limits.ts';
import { checkPoolsAfterEach, createPool, turn } from '../kernel-fixture.ts';

checkPoolsAfterEach();

interface Limited {
  readonly id: number;
  readonly enqueuedAt: number;
}

/** Calls in flight, each with a signal of its own. */
async function manyCalls(count = 20) {
  const pool = createPool({ window: 64, maxQueue: 100 });
  await pool.ready();
  const controllers = Array.from({ length: count }, () => new AbortController());
  const calls = controllers.map(({ signal }, input) => pool.run(input, { signal }));
  await turn();
  const listeners = (index: number): number =>
    getEventListeners(controllers[index]?.signal as AbortSignal, 'abort').length;
  return { ...pool, controllers, calls, listeners };
}

test('with many calls in flight a signal gets a listener only if its call lasts', async () => {
  const { clock, calls, transport, listeners } = await manyCalls();
  expect([listeners(0), listeners(14), listeners(15), listeners(19)]).toEqual([1, 1, 0, 0]);
  clock.advance(1);
  expect(listeners(19)).toBe(0);
  transport.at(0).answer(20, 'soon');
  clock.advance(1);
  expect([listeners(15), listeners(18), listeners(19)]).toEqual([1, 1, 0]);
  for (let seq = 1; seq <= 19; seq += 1) transport.at(0).answer(seq, 'late');
  await turn();
  expect(calls.map(({ value }) => value)).toEqual([...Array(19).fill('late'), 'soon']);
  for (let index = 0; index < 20; index += 1) expect(listeners(index)).toBe(0);
});

test.each([1, 2])(
  'an abort in the first milliseconds is noticed at the next look (%i)',
  async (look) => {
    const { clock, controllers, calls, transport, dispatcher } = await manyCalls();
    clock.advance(look - 1);
    controllers[19]?.abort('changed my mind');
    clock.advance(1);
    await turn();
    expect(calls[19]).toMatchObject({ state: 'rejected', error: 'changed my mind' });
    expect(transport.at(0).aborts.map(({ seq }) => seq)).toEqual([20]);
    expect(dispatcher.stats()).toMatchObject({ aborted: 1, running: 19 });
  },
);

test('a call is never answered after its signal was aborted', async () => {
  const { controllers, calls, transport, dispatcher } = await manyCalls();
  controllers[18]?.abort('enough');
  controllers[19]?.abort('enough');
  transport.at(0).answer(19, 'an answer');
  transport.at(0).fail(20, new Error('a failure'));
  await turn();
  for (const call of calls.slice(18)) {
    expect(call).toMatchObject({ state: 'rejected', error: 'enough' });
  }
  expect(dispatcher.stats()).toMatchObject({ aborted: 2, completed: 0, failed: 0 });
});

test('a call that waits is never started after its signal was aborted', async () => {
  const { run, ready, transport, dispatcher } = createPool({ window: 16, maxQueue: 100 });
  await ready();
  for (let input = 0; input < 16; input += 1) run(input);
  const controller = new AbortController();
  const waits = run('aborted', { signal: controller.signal });
  const next = run('next');
  await turn();
  controller.abort('enough');
  transport.at(0).answer(1);
  await turn();
  expect(waits).toMatchObject({ state: 'rejected', error: 'enough' });
  expect(transport.at(0).inputs.slice(16)).toEqual(['next']);
  transport.at(0).answer(17, 'answered');
  await turn();
  expect(next).toMatchObject({ state: 'resolved', value: 'answered' });
  expect(dispatcher.stats()).toMatchObject({ aborted: 1, queued: 0 });
});

test.each([2, 20])(
  'a call that waits for the end of its tick is never sent if its signal aborts before (%i in flight)',
  async (count) => {
    const { ready, run, transport, dispatcher } = createPool({ window: 64 });
    await ready();
    const controllers = Array.from({ length: count }, () => new AbortController());
    const calls = controllers.map(({ signal }, input) => run(input, { signal, timeoutMs: 5 }));
    controllers.at(-1)?.abort('changed my mind');
    await turn();
    expect(calls.at(-1)).toMatchObject({ state: 'rejected', error: 'changed my mind' });
    expect(transport.at(0).inputs).toHaveLength(count - 1);
    expect(dispatcher.stats()).toMatchObject({ aborted: 1, running: count - 1 });
    for (let seq = 1; seq < count; seq += 1) transport.at(0).answer(seq, 'an answer');
    await turn();
  },
);

test('a call that is answered as it is sent gets neither a listener nor a timer', async () => {
  const tasks = defineTasks({ echo: (input: number) => input });
  const clock = createManualClock();
  await using dispatcher = createInProcessDispatcher(tasks, { clock });
  await dispatcher.ready();
  const controller = new AbortController();
  const add = vi.spyOn(controller.signal, 'addEventListener');
  const timer = vi.spyOn(clock, 'setTimeout');
  const { signal } = controller;
  expect(await dispatcher.run('echo', 1, { signal, timeoutMs: 70, queueTimeoutMs: 60 })).toBe(1);
  expect(add).not.toHaveBeenCalled();
  expect(timer.mock.calls.filter(([, ms]) => ms === 70 || ms === 60)).toEqual([]);
});

test('limits pass in their order and in time, with one timer for each duration', () => {
  const step = fc.oneof(
    fc.record({ add: fc.constantFrom(5, 5.5, 20, 100) }),
    fc.record({ remove: fc.nat(40) }),
    fc.record({ advance: fc.integer({ min: 1, max: 60 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const clock = createManualClock();
      const passed: [at: number, name: number][] = [];
      const limits = new TimeLimits<Limited>(clock, ({ call }) =>
        passed.push([clock.now(), call.id]),
      );
      const all: { limit: ReturnType<typeof limits.add>; at: number; removed: boolean }[] = [];
      for (const each of steps) {
        if ('add' in each) {
          const call = { id: all.length, enqueuedAt: clock.now() };
          const limit = limits.add(call, 'ERR_TIMEOUT', each.add);
          all.push({ limit, at: clock.now() + each.add, removed: false });
        } else if ('remove' in each) {
          const one = all[each.remove];
          if (one === undefined) continue;
          one.removed ||= one.at > clock.now();
          limits.remove(one.limit);
        } else clock.advance(each.advance);
        const open = all.filter(({ at, removed }) => !removed && at > clock.now());
        const durations = new Set(open.map(({ limit }) => limit.ms));
        expect(clock.pending).toBe(durations.size);
      }
      const expected = all
        .map(({ at, removed }, name) => ({ at, removed, name }))
        .filter(({ at, removed }) => !removed && at <= clock.now())
        .sort((one, other) => one.at - other.at);
      expect(passed.toSorted((one, other) => one[0] - other[0] || one[1] - other[1])).toEqual(
        expected.map(({ at, name }) => [at, name]),
      );
    }),
  );
});

test('a limit that ends others, and begins one of the same duration, ends each once', () => {
  const clock = createManualClock();
  const passed: number[] = [];
  const limits: TimeLimits<Limited> = new TimeLimits(clock, ({ call: { id } }) => {
    passed.push(id);
    if (id !== 0) return;
    limits.remove(second);
    limits.add({ id: 3, enqueuedAt: clock.now() }, 'ERR_TIMEOUT', 10);
  });
  const at = (id: number) => limits.add({ id, enqueuedAt: clock.now() }, 'ERR_TIMEOUT', 10);
  at(0);
  const second = at(1);
  at(2);
  clock.advance(10);
  expect(passed).toEqual([0, 2]);
  clock.advance(10);
  expect([passed, clock.pending]).toEqual([[0, 2, 3], 0]);
});
