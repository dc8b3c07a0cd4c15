import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { getEventListeners } from 'node:events';
import { DispatchError, type DrainOptions, type RunOptions } from '@ticketing/dispatch';
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
import { createManualClock } from '@ticketing/test-kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FallbackDispatcher, withFallback } from '../src/index.ts';

checkPoolsAfterEach();

interface Both {
  readonly first: Pool;
  readonly local: Pool;
  readonly both: FallbackDispatcher<FakeTasks>;
  run(input?: unknown, options?: RunOptions): Watched;
  /** Opens the circuit of the first dispatcher: none of its workers start. */
  breaks(): void;
}

/** A dispatcher whose first failed start opens its circuit, with a fallback of one worker. */
async function createBoth({ maxInFlight = 8 }: { maxInFlight?: number } = {}): Promise<Both> {
  const clock = createManualClock();
  const far = { name: 'far', max: 2, restart: { maxFailures: 0 }, healthMs: 2 ** 31 - 1 };
  const first = createPool({ ...far, clock });
  const local = createPool({ name: 'near', window: 8 });
  await local.ready();
  const both = withFallback(first.dispatcher, local.dispatcher, { maxInFlight, clock });
  return {
    ...{ first, local, both },
    run: (input, options) => watch(both.run('echo', input, options)),
    breaks: () => {
      for (const worker of first.transport.living) worker.startFailed(noHost());
    },
  };
}

function noHost(): DispatchError {
  return new DispatchError('ERR_NO_HOST', 'Cannot use far: no host is there', {
    data: { name: 'far' },
  });
}

test('calls run in the first dispatcher while it can send them', async () => {
  const { first, local, run, both } = await createBoth();
  await first.ready();
  const call = run('a');
  await turn();
  first.transport.at(0).answer(1, 'far away');
  expect((await settled(call)).value).toBe('far away');
  expect(local.transport.at(0).inputs).toEqual([]);
  expect(both.stats().fallback).toEqual({ inFlight: 0, ran: 0, refused: 0 });
  expect([both.kind, both.state]).toEqual(['fake', 'ready']);
});

test('with an open circuit waiting and new calls run in the fallback, and count once', async () => {
  const { local, run, breaks, both } = await createBoth();
  const waiting = run('waits');
  await turn();
  expect(local.transport.at(0).inputs).toEqual([]);
  breaks();
  const later = run('later');
  await turn();
  expect(local.transport.at(0).inputs).toEqual(expect.arrayContaining(['waits', 'later']));
  expect(both.stats()).toMatchObject({
    asked: 2,
    queued: 0,
    running: 2,
    rejected: 0,
    circuit: 'open',
    fallback: { inFlight: 2, ran: 2, refused: 0 },
  });
  for (const { seq, input } of local.transport.at(0).open) {
    if (input === 'waits') local.transport.at(0).answer(seq, 'here');
    else local.transport.at(0).fail(seq, new Error('thrown'));
  }
  expect((await settled(waiting)).value).toBe('here');
  expect((await settled(later)).error).toMatchObject({ message: 'thrown' });
  expect(both.stats()).toMatchObject({
    ...{ asked: 2, completed: 1, failed: 1, aborted: 0, rejected: 0, running: 0 },
    fallback: { inFlight: 0, ran: 2 },
  });
});

test('above maxInFlight a call meets ERR_QUEUE_FULL, whose cause says why it came', async () => {
  const { local, run, breaks, both } = await createBoth({ maxInFlight: 1 });
  breaks();
  const [one, two] = [run(1), run(2)];
  const error = errorOf(await settled(two), 'ERR_QUEUE_FULL');
  expect(error.message).toBe('Fallback is full: `maxInFlight` (1) calls run');
  expect(error.data).toEqual({ name: 'far', task: 'echo', limit: 1 });
  expect(error.cause).toMatchObject({ code: 'ERR_CIRCUIT_OPEN', cause: { code: 'ERR_NO_HOST' } });
  local.transport.at(0).answer(1);
  expect((await settled(one)).state).toBe('resolved');
  expect(both.stats()).toMatchObject({
    asked: 2,
    completed: 1,
    rejected: 1,
    fallback: { refused: 1 },
  });
});

test('a call that a worker was given runs in the fallback only if it may run twice', async () => {
  const { first, local, run } = await createBoth();
  await first.ready();
  const [once, twice, plain] = [
    run('once', { idempotent: false }),
    run('twice', { idempotent: true, retries: 1 }),
    run('plain'),
  ];
  await turn();
  for (const worker of first.transport.living) worker.start();
  for (const worker of [...first.transport.living]) worker.exit({ exitCode: 1 });
  await turn();
  first.clock.advance(10_000);
  for (const worker of first.transport.living) worker.startFailed(noHost());
  errorOf(await settled(once), 'ERR_WORKER_LOST');
  errorOf(await settled(plain), 'ERR_WORKER_LOST');
  expect(local.transport.at(0).inputs).toEqual(['twice']);
  local.transport.at(0).answer(1);
  expect((await settled(twice)).state).toBe('resolved');
});

test('a call that its worker gave back unbegun runs in the fallback, also if it may not run twice', async () => {
  const { first, local, run, breaks, both } = await createBoth();
  first.transport.at(0).ready();
  const call = run('a');
  await turn();
  expect(first.transport.at(0).inputs).toEqual(['a']);
  first.transport.at(0).busy(1);
  first.transport.at(0).exit({ exitCode: 1 });
  breaks();
  await turn();
  expect(local.transport.at(0).inputs).toEqual(['a']);
  local.transport.at(0).answer(1, 'here');
  expect((await settled(call)).value).toBe('here');
  expect(both.stats()).toMatchObject({ asked: 1, completed: 1, rejected: 0 });
});

test('calls do not wait for a worker that reports no host, and return once it is ready', async () => {
  const { first, local, run, both } = await createBoth();
  const waiting = run('waiting');
  await turn();
  // The workers go on: only their reports are final.
  for (const worker of first.transport.living) worker.reportFailure(noHost(), true);
  const later = run('later');
  await turn();
  expect(local.transport.at(0).inputs).toEqual(expect.arrayContaining(['waiting', 'later']));
  expect(both.stats()).toMatchObject({ circuit: 'closed', queued: 0, fallback: { inFlight: 2 } });
  for (const { seq } of local.transport.at(0).open) local.transport.at(0).answer(seq, 'here');
  expect((await settled(waiting)).value).toBe('here');
  expect((await settled(later)).value).toBe('here');
  first.transport.at(0).ready();
  const back = run('back');
  await turn();
  first.transport.at(0).answer(1, 'far away');
  expect((await settled(back)).value).toBe('far away');
});

test('a call that times out in the fallback has its own limit, and the reason why it was there', async () => {
  const { first, local, run, breaks } = await createBoth();
  const [late, ran] = [run('late', { timeoutMs: 100 }), run('ran', { timeoutMs: 150 })];
  await turn();
  // Its timer has not fired yet when the circuit opens.
  first.clock.stall(100);
  breaks();
  const error = errorOf(await settled(late), 'ERR_TIMEOUT');
  expect(error.data).toEqual({ name: 'far', task: 'echo', limit: 100 });
  const cause = { code: 'ERR_CIRCUIT_OPEN', cause: { code: 'ERR_NO_HOST' } };
  expect(error.cause).toMatchObject(cause);
  expect(local.transport.at(0).inputs).toEqual(['ran']);
  local.clock.advance(50);
  const inTask = errorOf(await settled(ran), 'ERR_TIMEOUT');
  expect(inTask.message).toBe('Task `echo` did not finish within `timeoutMs` (150 ms)');
  expect(inTask.data).toEqual({ name: 'near', task: 'echo', limit: 150 });
  expect(inTask.cause).toMatchObject(cause);
  local.transport.at(0).answer(1);
});

test('a timeout of the task itself stays as it is', async () => {
  const { local, run, breaks } = await createBoth();
  breaks();
  const call = run('a', { timeoutMs: 100 });
  await turn();
  const inner = new DispatchError('ERR_TIMEOUT', 'too late', {
    data: { name: 'inner', task: 'echo', limit: 100 },
  });
  local.transport.at(0).fail(1, inner);
  expect((await settled(call)).error).toBe(inner);
});

test('the caller’s own onNoWorker is called once the fallback has no worker either', async () => {
  const { local, run, breaks } = await createBoth();
  const seen: unknown[] = [];
  const onNoWorker = (error: unknown): void => void seen.push(error);
  breaks();
  const ran = run('ran', { onNoWorker });
  await turn();
  local.transport.at(0).answer(1);
  expect([(await settled(ran)).state, seen]).toEqual(['resolved', []]);
  local.transport.at(0).exit({ exitCode: 1 });
  await turn();
  for (const worker of local.transport.living) worker.startFailed(new Error('broken'), true);
  const refused = run('refused', { onNoWorker });
  const error = errorOf(await settled(refused), 'ERR_CIRCUIT_OPEN');
  expect(seen).toEqual([error]);
});

test('what a task rejects with never runs again, whatever its code', async () => {
  const { first, local, run } = await createBoth();
  await first.ready();
  for (const options of [{}, { idempotent: true }]) {
    const call = run('a', options);
    await turn();
    const inner = new DispatchError('ERR_CIRCUIT_OPEN', 'of its own', { data: { name: 'far' } });
    for (const worker of first.transport.living) {
      for (const { seq } of worker.open) worker.fail(seq, inner);
    }
    expect((await settled(call)).error).toBe(inner);
  }
  expect(local.transport.at(0).inputs).toEqual([]);
});

test('the fallback gets what is left of the limits, and the signal', async () => {
  const { local, run, breaks, first, both } = await createBoth();
  const controller = new AbortController();
  const [limited, aborted] = [
    run('limited', { timeoutMs: 100, metadata: { from: 'here' } }),
    run('aborted', { signal: controller.signal }),
  ];
  await turn();
  first.clock.advance(60);
  breaks();
  await turn();
  const worker = local.transport.at(0);
  expect(worker.runs).toMatchObject([{ metadata: { from: 'here' } }, { input: 'aborted' }]);
  controller.abort('enough');
  expect((await settled(aborted)).error).toBe('enough');
  local.clock.advance(39);
  expect((await settled(limited)).state).toBe('pending');
  local.clock.advance(1);
  errorOf(await settled(limited), 'ERR_TIMEOUT');
  worker.answer(1);
  worker.answer(2);
  expect(both.stats()).toMatchObject({ asked: 2, aborted: 2, rejected: 0 });
});

test('calls go to the first dispatcher again once it can send them', async () => {
  const { first, local, run, breaks } = await createBoth();
  breaks();
  run('down');
  await turn();
  expect(local.transport.at(0).inputs).toEqual(['down']);
  first.clock.advance(5000);
  await first.ready();
  const call = run('up');
  await turn();
  expect(first.transport.workers.flatMap(({ inputs }) => inputs)).toEqual(['up']);
  for (const worker of first.transport.living)
    for (const { seq } of worker.open) worker.answer(seq);
  expect((await settled(call)).state).toBe('resolved');
  local.transport.at(0).answer(1);
});

test('a producer that waits for capacity() never meets ERR_QUEUE_FULL', async () => {
  const { local, both, breaks, run } = await createBoth({ maxInFlight: 2 });
  breaks();
  // The first call shows that the fallback is needed.
  run('first');
  await turn();
  const calls: Watched[] = [];
  const produce = async (): Promise<void> => {
    for (let count = 0; count < 10; count += 1) {
      await both.capacity();
      calls.push(watch(both.run('echo', count)));
    }
  };
  const producing = watch(Promise.all([produce(), produce(), produce()]));
  while (producing.state === 'pending') {
    await turn();
    for (const { seq } of local.transport.at(0).open) local.transport.at(0).answer(seq);
  }
  await turn();
  for (const { seq } of local.transport.at(0).open) local.transport.at(0).answer(seq);
  await turn();
  expect(calls.filter(({ state }) => state === 'resolved')).toHaveLength(30);
  expect(both.stats()).toMatchObject({ completed: 31, fallback: { refused: 0, ran: 31 } });
});

test('waits for capacity end by their signal and by close()', async () => {
  const { both, breaks, run, local } = await createBoth({ maxInFlight: 1 });
  breaks();
  run('a');
  await turn();
  const controller = new AbortController();
  const [one, two] = [watch(both.capacity(controller.signal)), watch(both.capacity())];
  controller.abort('enough');
  expect((await settled(one)).error).toBe('enough');
  expect(two.state).toBe('pending');
  const closing = watch(both.close());
  for (const worker of local.transport.living) worker.exit({ exitCode: 0 });
  errorOf(await settled(two), 'ERR_CLOSED');
  expect((await settled(closing)).state).toBe('resolved');
  expect(both.state).toBe('closed');
});

test('capacity() waits for room in the first dispatcher, and forgets its signal', async () => {
  const first = createPool({ window: 1, maxQueue: 0 });
  const local = createPool();
  await first.ready();
  const both = withFallback(first.dispatcher, local.dispatcher);
  const call = watch(both.run('echo', 1));
  await turn();
  const { signal } = new AbortController();
  const room = watch(both.capacity(signal));
  expect((await settled(room)).state).toBe('pending');
  first.transport.at(0).answer(1);
  expect((await settled(room)).state).toBe('resolved');
  expect(call.state).toBe('resolved');
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('a caller that capacity() lets through keeps its room for one turn of the event loop', async () => {
  const { both, breaks, run, local } = await createBoth({ maxInFlight: 2 });
  breaks();
  run('a');
  await turn();
  const { signal } = new AbortController();
  await both.capacity();
  const next = watch(both.capacity(signal));
  for (let count = 0; count < 50; count += 1) await undefined;
  expect(next.state).toBe('pending');
  expect((await settled(next)).state).toBe('resolved');
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  local.transport.at(0).answer(1);
});

test('a first dispatcher that sends again ends the wait for a full fallback', async () => {
  const { first, local, both, run, breaks } = await createBoth({ maxInFlight: 1 });
  breaks();
  run('down');
  await turn();
  const waiting = watch(both.capacity());
  first.clock.advance(5000);
  await first.ready();
  expect((await settled(waiting)).state).toBe('pending');
  run('up');
  expect((await settled(waiting)).state).toBe('resolved');
  expect((await settled(watch(both.capacity()))).state).toBe('resolved');
  for (const { transport } of [first, local])
    for (const worker of transport.living) for (const { seq } of worker.open) worker.answer(seq);
});

/** A fallback of another make: its calls settle when a test says so, and it waits for none of them. */
function createCareless(local: Pool) {
  const calls: ((value: unknown) => void)[] = [];
  const drains: DrainOptions[] = [];
  const { dispatcher } = local;
  const careless = {
    ...{ kind: 'other', capabilities: dispatcher.capabilities, map() {}, capacity() {} },
    run: () => new Promise((resolve) => calls.push(resolve)),
    stats: () => ({ ...dispatcher.stats(), name: 'careless' }),
    async drain(options: DrainOptions) {
      drains.push(options);
      return { completed: 0, aborted: 0 };
    },
    close: async () => {},
  };
  return { calls, drains, dispatcher: careless as never as typeof dispatcher };
}

async function createBesideCareless(maxInFlight: number) {
  const first = createPool({ name: 'far', restart: { maxFailures: 0 } });
  const { calls, dispatcher } = createCareless(createPool());
  first.transport.at(0).startFailed(noHost());
  await turn();
  const both = withFallback(first.dispatcher, dispatcher, { maxInFlight });
  return { both, calls, run: (input: unknown) => watch(both.run('echo', input as never)) };
}

test('drain() waits for all calls of a fallback that does not, and reports the calls that it waited for', async () => {
  const { both, calls, run } = await createBesideCareless(8);
  const before = run('before');
  await turn();
  calls[0]?.('early');
  expect((await settled(before)).value).toBe('early');
  run('a');
  run('b');
  await turn();
  const drained = watch(both.drain());
  await turn();
  calls[1]?.('a');
  expect((await settled(drained)).state).toBe('pending');
  calls[2]?.('b');
  expect((await settled(drained)).value).toEqual({ completed: 2, aborted: 0 });
});

test('drain() leaves the fallback the rest of its time', async () => {
  const clock = createManualClock();
  const first = createPool({ clock });
  const { drains, dispatcher } = createCareless(createPool());
  await first.ready();
  const both = withFallback(first.dispatcher, dispatcher, { clock });
  watch(both.run('echo', 1));
  await turn();
  const drained = watch(both.drain({ timeoutMs: 100 }));
  clock.advance(40);
  first.transport.at(0).answer(1);
  await turn();
  expect((await settled(drained)).value).toEqual({ completed: 1, aborted: 0 });
  expect(drains).toEqual([{ timeoutMs: 60 }]);
});

test('close() ends waits for capacity at once, whatever the calls of the fallback do', async () => {
  const { both, run } = await createBesideCareless(1);
  run('a');
  await turn();
  const waiting = watch(both.capacity());
  expect((await settled(waiting)).state).toBe('pending');
  const closing = watch(both.close());
  errorOf(await settled(waiting), 'ERR_CLOSED');
  expect((await settled(closing)).state).toBe('resolved');
});

test('reload() replaces the workers of both', async () => {
  const [first, local] = [createPool({}, { obliging: true }), createPool({}, { obliging: true })];
  const both = withFallback(first.dispatcher, local.dispatcher);
  await both.ready();
  await local.dispatcher.ready();
  await both.reload();
  expect([first, local].map(({ transport }) => transport.workers.length)).toEqual([2, 2]);
});

test('ready() is that of the fallback when the circuit is open', async () => {
  const { both, breaks } = await createBoth();
  const ready = watch(both.ready());
  expect((await settled(ready)).state).toBe('pending');
  breaks();
  expect((await settled(ready)).state).toBe('resolved');
});

test('map() runs in the fallback, in the order of the inputs', async () => {
  const { both, breaks, local } = await createBoth();
  breaks();
  const values: unknown[] = [];
  const mapping = watch(
    (async () => {
      for await (const outcome of both.map('echo', [1, 2, 3, 4, 5], { concurrency: 2 })) {
        values.push(outcome.status === 'fulfilled' ? outcome.value : outcome.reason);
      }
    })(),
  );
  while (mapping.state === 'pending') {
    await turn();
    const worker = local.transport.at(0);
    expect(worker.open.length).toBeLessThanOrEqual(2);
    for (const { seq, input } of worker.open) worker.answer(seq, input);
  }
  expect(values).toEqual([1, 2, 3, 4, 5]);
});

test('drain() waits for both, and reports each call once', async () => {
  const { both, breaks, run, local, first } = await createBoth();
  first.transport.at(0).ready();
  first.transport.at(1).ready();
  const far = run('far');
  await turn();
  expect(first.transport.at(0).inputs).toEqual(['far']);
  const rest = [run('b'), run('c'), run('d'), run('e')];
  await turn();
  const drained = watch(both.drain());
  errorOf(await settled(run('late')), 'ERR_DRAINING');
  for (const worker of [...first.transport.living]) {
    worker.start(1);
    worker.exit({ exitCode: 1 });
  }
  await turn();
  breaks();
  await turn();
  expect(both.state).toBe('draining');
  errorOf(await settled(far), 'ERR_WORKER_LOST');
  const begun = local.transport.at(0).open;
  for (const { seq } of begun) local.transport.at(0).answer(seq);
  await turn();
  await turn();
  // A worker had begun `b`, and had been given `c` and `d`; `e` waited.
  expect(begun.map(({ input }) => input)).toEqual(['c', 'd', 'e']);
  errorOf(rest[0], 'ERR_WORKER_LOST');
  for (const call of rest.slice(1)) expect(call.state).toBe('resolved');
  expect(drained).toMatchObject({ state: 'resolved', value: { completed: 3, aborted: 2 } });
  expect(both.stats()).toMatchObject({ completed: 3, queued: 0, running: 0 });
});

test('each call that falls back is published, with its reason', async () => {
  const { run, breaks, local } = await createBoth();
  const messages: unknown[] = [];
  const note = (message: unknown): void => void messages.push(message);
  subscribe('ticketing:dispatch:fallback', note);
  try {
    breaks();
    run('a');
    await turn();
  } finally {
    unsubscribe('ticketing:dispatch:fallback', note);
  }
  expect(messages).toEqual([
    { name: 'far', task: 'echo', inFlight: 1, error: expect.any(DispatchError) },
  ]);
  local.transport.at(0).answer(1);
});

test('wrong options of a call are told as by any dispatcher', async () => {
  const { run } = await createBoth();
  const cases: [unknown, string][] = [
    [5, 'Cannot run task: `options` must be an object, got 5'],
    [{ timeout: 5 }, 'Cannot run task: unknown option `timeout`; did you mean `timeoutMs`?'],
    [{ onWorker: 5 }, 'Cannot run task: `onWorker` must be a function, got 5'],
    [{ onNoWorker: 5 }, 'Cannot run task: `onNoWorker` must be a function, got 5'],
  ];
  for (const [options, message] of cases) {
    expect((await settled(run(1, options as never))).error).toEqual(new TypeError(message));
  }
});

test('whatever the first dispatcher does, calls settle once, none runs twice without permission, and counts add up', async () => {
  const step = fc.constantFrom(
    'run',
    'run',
    'twice',
    'twice',
    'break',
    'time',
    'far',
    'far',
    'near',
    'lose',
    'lose',
    'return',
    'die',
    'report',
    'turn',
  );
  // That each way is taken: else nothing of it is shown.
  const ways = { far: 0, near: 0, again: 0, refused: 0, returned: 0, early: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 50, size: 'max' }), async (steps) => {
      const { first, local, both, run } = await createBoth({ maxInFlight: 3 });
      const calls: { readonly watched: Watched; readonly twice: boolean }[] = [];
      for (const each of steps) {
        if (each === 'run') calls.push({ watched: run(calls.length), twice: false });
        else if (each === 'twice') {
          const watched = run(calls.length, { idempotent: true, retries: 1 });
          calls.push({ watched, twice: true });
        } else if (each === 'break') breaksStarting(first);
        else if (each === 'time') first.clock.advance(5000);
        else if (each === 'far') answerAll(first);
        else if (each === 'near') answerAll(local);
        else if (each === 'lose') {
          first.transport.living[0]?.start();
          first.transport.living[0]?.exit({ exitCode: 1 });
        } else if (each === 'return') ways.returned += returnsUnbegun(first);
        // Its calls have not begun.
        else if (each === 'die') first.transport.living[0]?.exit({ exitCode: 1 });
        else if (each === 'report') {
          const { ran } = both.stats().fallback;
          for (const worker of first.transport.living) {
            if (!worker.isReady) worker.reportFailure(noHost(), true);
          }
          await turn();
          if (first.dispatcher.stats().circuit === 'closed') {
            ways.early += both.stats().fallback.ran - ran;
          }
        } else await turn();
        const { inFlight } = both.stats().fallback;
        expect(inFlight).toBeLessThanOrEqual(3);
        expect(inFlight).toBeGreaterThanOrEqual(local.transport.at(0).open.length);
      }
      await turn();
      // All end: those that wait by an open circuit.
      for (let round = 0; round < 20; round += 1) {
        breaksStarting(first);
        answerAll(first);
        answerAll(local);
        await turn();
      }
      const { asked, completed, failed, aborted, rejected, queued, running } = both.stats();
      expect({ queued, running, asked }).toEqual({ queued: 0, running: 0, asked: calls.length });
      expect(completed + failed + aborted + rejected).toBe(asked);
      expect(completed).toBe(calls.filter(({ watched }) => watched.state === 'resolved').length);
      const begun = [...first.transport.workers, ...local.transport.workers].flatMap((worker) =>
        worker.begun.map(({ input }) => input as number),
      );
      for (const [id, { watched, twice }] of calls.entries()) {
        expect(watched.state).not.toBe('pending');
        const times = begun.filter((each) => each === id).length;
        expect(times).toBeLessThanOrEqual(twice ? 2 : 1);
        if (times > 1) ways.again += 1;
      }
      const { ran, refused } = both.stats().fallback;
      expect(local.transport.workers.flatMap(({ begun: runs }) => runs).length).toBeLessThanOrEqual(
        ran,
      );
      ways.far += first.transport.workers.flatMap((worker) => worker.begun).length;
      ways.near += ran;
      ways.refused += refused;
    }),
    { numRuns: 200 },
  );
  for (const [way, times] of Object.entries(ways)) expect([way, times > 0]).toEqual([way, true]);
});

function breaksStarting({ transport }: Pool): void {
  for (const worker of transport.living) if (!worker.isReady) worker.startFailed(noHost());
}

/** Has a ready worker give back its latest call, if that has not begun. @returns how many that were */
function returnsUnbegun({ transport }: Pool): number {
  for (const worker of transport.living) {
    const call = worker.open.findLast(({ seq }) => !worker.begun.some((run) => run.seq === seq));
    if (!worker.isReady || worker.isBusy || call === undefined) continue;
    worker.busy(call.seq);
    return 1;
  }
  return 0;
}

function answerAll({ transport }: Pool): void {
  for (const worker of transport.living) {
    if (!worker.isReady) worker.ready();
    else for (const { seq } of worker.open) worker.answer(seq);
    if (worker.isBusy) worker.room(8);
  }
}
