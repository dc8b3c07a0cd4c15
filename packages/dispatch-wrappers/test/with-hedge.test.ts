import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { getEventListeners } from 'node:events';
import { DispatchError, type PoolOptions, type RunOptions } from '@ticketing/dispatch';
import {
  checkPoolsAfterEach,
  createPool,
  errorOf,
  type FakeTasks,
  type Pool,
  settled,
  turn,
  type Watched,
  watch,
} from '@ticketing/dispatch/test/kernel-fixture';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type HedgeDispatcher, type HedgeOptions, withHedge } from '../src/index.ts';

checkPoolsAfterEach();

interface Hedged extends Omit<Pool, 'run'> {
  readonly hedged: HedgeDispatcher<FakeTasks>;
  /** Calls `echo`; it may run twice. */
  run(input?: unknown, options?: RunOptions): Watched;
}

/** Two workers, and a second attempt after 100 ms for every call. */
async function createHedged(
  options: Partial<HedgeOptions> = {},
  poolOptions: PoolOptions = {},
): Promise<Hedged> {
  const healthMs = 2 ** 31 - 1;
  const made = createPool({ max: 2, window: 2, healthMs, ...poolOptions } as never);
  const { run: _, ...pool } = made;
  await pool.ready();
  const { clock } = pool;
  const hedged = withHedge(pool.dispatcher, { afterMs: 100, share: 1, clock, ...options });
  const run = (input?: unknown, more?: RunOptions): Watched =>
    watch(hedged.run('echo', input, { idempotent: true, ...more }));
  return { ...pool, hedged, run };
}

test('a slow call goes to another worker, whose answer wins; the first attempt is aborted', async () => {
  const { run, transport, clock, hedged } = await createHedged();
  const call = run('a', { metadata: { from: 'here' } });
  await turn();
  const [slow, quick] = [transport.at(0), transport.at(1)];
  slow.start(1);
  clock.advance(99);
  await turn();
  expect(quick.inputs).toEqual([]);
  clock.advance(1);
  await turn();
  expect(quick.runs).toMatchObject([{ input: 'a', attempt: 1, metadata: { from: 'here' } }]);
  quick.answer(1, 'quick');
  expect((await settled(call)).value).toBe('quick');
  expect(slow.aborts).toMatchObject([{ reason: { name: 'AbortError' } }]);
  slow.answer(1, 'late');
  expect(hedged.stats()).toMatchObject({
    ...{ asked: 1, completed: 1, aborted: 0, running: 0 },
    hedge: { hedged: 1, won: 1, withheld: 0, noRoom: 0 },
  });
});

test('the first worker may still win: the second attempt is aborted and never seen', async () => {
  const { run, transport, clock, hedged } = await createHedged();
  const call = run('a');
  await turn();
  clock.advance(100);
  await turn();
  transport.at(0).answer(1, 'first');
  expect((await settled(call)).value).toBe('first');
  expect(transport.at(1).aborts).toHaveLength(1);
  transport.at(1).drop(1);
  expect(hedged.stats()).toMatchObject({ asked: 1, completed: 1, hedge: { hedged: 1, won: 0 } });
});

test('a call that is answered in time is asked once, and leaves no timer', async () => {
  const { run, transport, clock, hedged } = await createHedged();
  const { signal } = new AbortController();
  const call = run('a', { signal });
  await turn();
  transport.at(0).answer(1);
  expect((await settled(call)).state).toBe('resolved');
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  clock.advance(1000);
  await turn();
  expect(transport.at(1).inputs).toEqual([]);
  expect(hedged.stats().hedge.hedged).toBe(0);
});

test('time counts from the worker that has the call: one that waits is not hedged', async () => {
  const { run, transport, clock, hedged } = await createHedged({}, { window: 1 });
  run('a');
  run('b');
  const waits = run('waits');
  await turn();
  clock.advance(90);
  transport.at(0).answer(1);
  await turn();
  expect(transport.at(0).inputs).toEqual(['a', 'waits']);
  transport.at(1).answer(1);
  await turn();
  clock.advance(99);
  await turn();
  expect(transport.at(1).inputs).toEqual(['b']);
  clock.advance(1);
  await turn();
  expect(transport.at(1).inputs).toEqual(['b', 'waits']);
  transport.at(1).answer(2, 'second');
  expect((await settled(waits)).value).toBe('second');
  expect(hedged.stats().hedge).toMatchObject({ hedged: 1, won: 1 });
  transport.at(0).answer(2);
});

test('calls that may not run twice, and those with a key, transfer or onProgress, are never hedged', async () => {
  const { run, hedged, transport, clock } = await createHedged();
  const controller = new AbortController();
  run('once', { idempotent: false });
  run('key', { key: 'k' });
  run('progress', { onProgress: () => {} });
  watch(hedged.run('echo', 'plain'));
  controller.abort('before');
  expect((await settled(run('aborted', { signal: controller.signal }))).error).toBe('before');
  clock.advance(1000);
  await turn();
  expect(transport.workers.flatMap(({ inputs }) => inputs)).toHaveLength(4);
  expect(hedged.stats().hedge).toMatchObject({ hedged: 0, withheld: 0 });
  for (const worker of transport.living) for (const { seq } of worker.open) worker.answer(seq);
});

test('no other worker with room: no second attempt, and none waits', async () => {
  const { run, transport, clock, hedged } = await createHedged({}, { window: 1 });
  const [one, two] = [run(1), run(2)];
  await turn();
  clock.advance(100);
  await turn();
  expect(transport.workers.map(({ inputs }) => inputs)).toEqual([[1], [2]]);
  expect(hedged.stats()).toMatchObject({
    ...{ asked: 2, queued: 0, running: 2, rejected: 0 },
    hedge: { hedged: 0, noRoom: 2 },
  });
  transport.at(0).answer(1);
  transport.at(1).answer(1);
  await turn();
  expect([one.state, two.state]).toEqual(['resolved', 'resolved']);
});

test('a share of the calls at most is hedged', async () => {
  const { run, transport, clock, hedged } = await createHedged({ share: 0.05 }, { window: 1000 });
  for (let count = 0; count < 200; count += 1) run(count);
  await turn();
  clock.advance(100);
  await turn();
  expect(hedged.stats().hedge).toMatchObject({ hedged: 10, withheld: 190 });
  for (const worker of transport.living) for (const { seq } of worker.open) worker.answer(seq);
  await turn();
  expect(hedged.stats()).toMatchObject({ asked: 200, completed: 200, running: 0 });
});

test('a second attempt that a worker gives back costs no share, and the first goes on', async () => {
  const { run, transport, clock, hedged } = await createHedged({ share: 0.5 });
  run('saves');
  const call = run('a');
  await turn();
  clock.advance(100);
  await turn();
  const [second] = transport.workers.filter(({ runs }) => runs.length > 1);
  second?.busy(2);
  await turn();
  for (const worker of transport.living) for (const { seq } of worker.open) worker.answer(seq);
  expect((await settled(call)).state).toBe('resolved');
  expect(hedged.stats()).toMatchObject({ asked: 2, completed: 2, rejected: 0, running: 0 });
});

test('the loss of the first worker waits for the second', async () => {
  const { run, transport, clock, hedged } = await createHedged();
  const call = run('a');
  await turn();
  transport.at(0).start(1);
  clock.advance(100);
  await turn();
  transport.at(0).exit({ exitCode: 1 });
  expect((await settled(call)).state).toBe('pending');
  transport.at(1).answer(1, 'second');
  expect((await settled(call)).value).toBe('second');
  expect(hedged.stats()).toMatchObject({ asked: 1, completed: 1, rejected: 0 });
});

test('both workers lost: the call has the error of the first', async () => {
  const { run, transport, clock, hedged } = await createHedged();
  const call = run('a');
  await turn();
  transport.at(0).start(1);
  clock.advance(100);
  await turn();
  transport.at(1).start(1);
  transport.at(0).exit({ exitCode: 7 });
  transport.at(1).exit({ exitCode: 8 });
  expect(errorOf(await settled(call), 'ERR_WORKER_LOST').data.exitCode).toBe(7);
  expect(hedged.stats()).toMatchObject({ asked: 1, rejected: 1 });
});

test.each([
  ['first', 0],
  ['second', 1],
])('what the %s worker throws is an answer', async (_, index) => {
  const { run, transport, clock } = await createHedged();
  const call = run('a');
  await turn();
  clock.advance(100);
  await turn();
  const error = new Error('thrown');
  transport.at(index).fail(1, error);
  expect((await settled(call)).error).toBe(error);
  expect(transport.at(1 - index).aborts).toHaveLength(1);
});

test('an attempt that is made again after a loss has its whole time, and onWorker is called for each attempt', async () => {
  const { run, transport, clock } = await createHedged({}, { max: 3 });
  const given: number[] = [];
  const call = run('a', { retries: 1, onWorker: (workerId) => void given.push(workerId) });
  await turn();
  transport.at(0).start(1);
  clock.advance(60);
  transport.at(0).exit({ exitCode: 1 });
  await turn();
  clock.advance(99);
  await turn();
  expect(given).toHaveLength(2);
  clock.advance(1);
  await turn();
  expect(given).toHaveLength(3);
  expect(new Set(given).size).toBe(3);
  const [, , third] = given;
  transport.workers.find(({ workerId }) => workerId === third)?.answer(1, 'third');
  expect((await settled(call)).value).toBe('third');
});

test('a call whose time is over when the second attempt is due has none', async () => {
  const { run, transport, clock, hedged } = await createHedged();
  const call = run('a', { timeoutMs: 100 });
  await turn();
  clock.advance(100);
  errorOf(await settled(call), 'ERR_TIMEOUT');
  expect(transport.at(1).inputs).toEqual([]);
  expect(hedged.stats().hedge).toMatchObject({ hedged: 0, withheld: 0 });
  transport.at(0).answer(1);
});

test('attempts whose ends no caller sees count neither as calls nor in the report of drain()', async () => {
  const { run, transport, clock, hedged } = await createHedged({}, { max: 3 });
  const [slow, quick] = [transport.at(0), transport.at(1)];
  const one = run('a');
  await turn();
  clock.advance(100);
  await turn();
  // Both in one turn: the second error comes when the call has its value.
  slow.answer(1, 'first');
  quick.fail(1, new Error('unseen'));
  expect((await settled(one)).value).toBe('first');
  const two = run('b');
  await turn();
  expect(hedged.stats()).toMatchObject({ asked: 2, completed: 1, failed: 0, running: 1 });
  clock.advance(100);
  await turn();
  expect(hedged.stats()).toMatchObject({ asked: 2, running: 1 });
  const [first, second] = transport.workers
    .flatMap((worker) => worker.open.map(({ seq }) => ({ worker, seq })))
    .sort((a, b) => a.seq - b.seq);
  second?.worker.answer(second.seq, 'b');
  expect((await settled(two)).value).toBe('b');
  first?.worker.answer(first.seq);
  await turn();
  expect(hedged.stats()).toMatchObject({ asked: 2, completed: 2, aborted: 0, running: 0 });
  expect(await hedged.drain()).toEqual({ completed: 0, aborted: 0 });
});

test.each([
  ['an error', new Error('thrown')],
  [
    'the error of a pool of its own',
    new DispatchError('ERR_OVERLOADED', 'Busy', { data: { name: 'other' } }),
  ],
])(
  'what the first worker throws is an answer, also while a second attempt is open: %s',
  async (_, error) => {
    const { run, transport, clock } = await createHedged();
    const call = run('a');
    await turn();
    clock.advance(100);
    await turn();
    transport.at(0).fail(1, error);
    expect((await settled(call)).error).toBe(error);
    transport.at(1).drop(1);
  },
);

test('the caller ends both: by its signal, by its limit', async () => {
  const { run, transport, clock, hedged } = await createHedged();
  const controller = new AbortController();
  const one = run('a', { signal: controller.signal });
  await turn();
  clock.advance(100);
  await turn();
  controller.abort('enough');
  expect((await settled(one)).error).toBe('enough');
  expect(transport.workers.map(({ aborts }) => aborts)).toMatchObject([
    [{ reason: 'enough' }],
    [{ reason: 'enough' }],
  ]);
  for (const worker of transport.living) worker.answer(1);
  const two = run('b', { timeoutMs: 150 });
  await turn();
  clock.advance(100);
  await turn();
  clock.advance(50);
  errorOf(await settled(two), 'ERR_TIMEOUT');
  for (const worker of transport.living) worker.answer(2);
  await turn();
  expect(hedged.stats()).toMatchObject({ asked: 2, aborted: 2, completed: 0, running: 0 });
});

test('map(), capacity(), ready(), reload(), drain() and close() are those of the dispatcher', async () => {
  const { hedged, transport, dispatcher, clock } = await createHedged();
  await hedged.ready();
  await hedged.capacity();
  const values: unknown[] = [];
  const mapping = watch(
    (async () => {
      for await (const each of hedged.map('echo', [1, 2], { idempotent: true })) values.push(each);
    })(),
  );
  await turn();
  clock.advance(100);
  await turn();
  const drained = watch(hedged.drain());
  expect([hedged.state, hedged.kind]).toEqual(['draining', 'fake']);
  for (const worker of transport.living) {
    for (const { seq, input } of worker.open) worker.answer(seq, input);
  }
  await turn();
  await turn();
  expect(mapping.state).toBe('resolved');
  expect(values).toEqual([
    { status: 'fulfilled', value: 1, input: 1, index: 0 },
    { status: 'fulfilled', value: 2, input: 2, index: 1 },
  ]);
  expect(drained.value).toEqual({ completed: 2, aborted: 0 });
  const closing = watch(hedged[Symbol.asyncDispose]());
  for (const worker of transport.living) worker.exit({ exitCode: 0 });
  expect((await settled(closing)).state).toBe('resolved');
  expect(dispatcher.state).toBe('closed');
  errorOf(await settled(watch(hedged.reload())), 'ERR_CLOSED');
});

test('each hedged call is published when it has settled', async () => {
  const { run, transport, clock } = await createHedged();
  const messages: unknown[] = [];
  const note = (message: unknown): void => void messages.push(message);
  subscribe('ticketing:dispatch:hedge', note);
  try {
    run('a');
    await turn();
    clock.advance(100);
    await turn();
    transport.at(1).answer(1);
    await turn();
  } finally {
    unsubscribe('ticketing:dispatch:hedge', note);
  }
  expect(messages).toEqual([{ name: 'fake', task: 'echo', workerId: 1, won: true }]);
  transport.at(0).answer(1);
});

test('an abort after the loss of the first worker is what the caller sees, and what counts', async () => {
  const { run, transport, clock, hedged } = await createHedged();
  const controller = new AbortController();
  const call = run('a', { signal: controller.signal });
  await turn();
  transport.at(0).start(1);
  clock.advance(100);
  await turn();
  transport.at(0).exit({ exitCode: 1 });
  await turn();
  controller.abort('enough');
  expect((await settled(call)).error).toBe('enough');
  expect(hedged.stats()).toMatchObject({ asked: 1, aborted: 1, rejected: 0, running: 0 });
});

test('an abort that comes when both attempts have ended is not what the caller sees', async () => {
  const { run, transport, clock, hedged } = await createHedged();
  const controller = new AbortController();
  const call = run('a', { signal: controller.signal });
  await turn();
  transport.at(0).start(1);
  // The wrapper has not heard of any of this when the caller aborts.
  transport.at(0).exit({ exitCode: 1 });
  clock.advance(100);
  transport.at(1).busy(1);
  controller.abort('enough');
  errorOf(await settled(call), 'ERR_WORKER_LOST');
  expect(hedged.stats()).toMatchObject({ asked: 1, aborted: 0, rejected: 1, running: 0 });
});

test('whatever workers do, calls settle once with an answer to themselves, and counts add up', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constantFrom('run', 'run', 'run', 'once', 'abortable'), ms: fc.nat(3) }),
    fc.record({
      kind: fc.constantFrom('answer', 'answer', 'fail', 'busy', 'room', 'exit', 'start', 'abort'),
      ms: fc.nat(3),
    }),
    fc.record({ kind: fc.constant('time'), ms: fc.constantFrom(10, 50, 100, 100, 300) }),
    fc.record({ kind: fc.constantFrom('turn', 'turn'), ms: fc.nat(3) }),
  );
  const shares = fc.constantFrom(0.05, 0.5, 1);
  await fc.assert(
    fc.asyncProperty(
      shares,
      fc.array(step, { maxLength: 60, size: 'max' }),
      async (share, steps) => {
        const restart = { maxFailures: 10_000 };
        const { run, hedged, transport, clock } = await createHedged(
          { share },
          { max: 3, restart },
        );
        const calls: Watched[] = [];
        const controllers: AbortController[] = [];
        const tasks: boolean[] = [];
        for (const { kind, ms } of steps) {
          const worker = transport.living[ms % Math.max(1, transport.living.length)];
          const open = worker?.isReady === true ? worker.open[0] : undefined;
          if (kind === 'run' || kind === 'once') {
            tasks.push(kind === 'run');
            calls.push(run(calls.length, { idempotent: kind === 'run' }));
          } else if (kind === 'abortable') {
            const controller = new AbortController();
            controllers.push(controller);
            tasks.push(true);
            calls.push(run(calls.length, { signal: controller.signal }));
          } else if (kind === 'abort') controllers[ms]?.abort('enough');
          else if (kind === 'time') clock.advance(ms);
          else if (kind === 'turn') await turn();
          else if (kind === 'exit') worker?.exit({ exitCode: 1 });
          else if (worker?.isReady === true && kind === 'room') worker.room(2);
          else if (open === undefined) continue;
          else if (kind === 'answer') worker?.answer(open.seq, `good ${open.input}`);
          else if (kind === 'fail') worker?.fail(open.seq, `bad ${open.input}`);
          else if (kind === 'start') worker?.start(open.seq);
          else if (kind === 'busy' && open.seq > (worker?.started() ?? 0)) worker?.busy(open.seq);
        }
        for (let round = 0; round < 50; round += 1) {
          for (const worker of transport.living) {
            // One whose task does not stop is killed.
            if (worker.kills > 0) worker.exit({ signal: 'SIGKILL' });
            else if (!worker.isReady) worker.ready();
            else {
              if (worker.isBusy) worker.room(2);
              for (const { seq, input } of worker.open) worker.answer(seq, `good ${input}`);
            }
          }
          clock.advance(1000);
          await turn();
        }
        const { asked, completed, failed, aborted, rejected, queued, running, hedge } =
          hedged.stats();
        expect({ asked, queued, running }).toEqual({ asked: calls.length, queued: 0, running: 0 });
        expect(completed + failed + aborted + rejected).toBe(asked);
        const ended = { resolved: 0, failed: 0, aborted: 0 };
        for (const [id, { state, value, error }] of calls.entries()) {
          expect(state).not.toBe('pending');
          if (state === 'resolved') {
            ended.resolved += 1;
            expect(value).toBe(`good ${id}`);
          } else if (error === `bad ${id}`) ended.failed += 1;
          else if (error === 'enough') ended.aborted += 1;
          else expect(error).toMatchObject({ code: 'ERR_WORKER_LOST' });
        }
        expect([completed, failed, aborted]).toEqual([ended.resolved, ended.failed, ended.aborted]);
        expect(hedge.hedged).toBeLessThanOrEqual(share * tasks.filter((may) => may).length + 1e-6);
        expect(hedge.won).toBeLessThanOrEqual(hedge.hedged);
        for (const worker of transport.workers) {
          const inputs = worker.begun.map(({ input }) => input as number);
          for (const id of inputs) {
            const attempts = transport.workers.flatMap(({ begun }) =>
              begun.filter(({ input }) => input === id),
            );
            expect(attempts.length).toBeLessThanOrEqual(tasks[id] === true ? 2 : 1);
          }
        }
      },
    ),
    { numRuns: 80 },
  );
});
