import assert from 'node:assert/strict';
import type { DispatchErrorCode } from '@ticketing/dispatch';
import { turns } from '@ticketing/test-kit';
import { rejected, rejectedWith } from '../calls.ts';
import { type CaseDraft, test } from '../conformance-case.ts';

/** `map()` to the end of its inputs. */
export const mapCases: readonly CaseDraft[] = [
  test('map() gives an outcome for each input, in the order of the inputs', async (stage) => {
    const dispatcher = await stage.ready({ max: 2 });
    const inputs = Array.from({ length: 200 }, (_, a) => ({ a, b: 1 }));
    const values = await collect(dispatcher.map('add', inputs, { concurrency: 20 }));
    assert.deepEqual(
      values,
      inputs.map(({ a }) => a + 1),
    );
  }),
  test('each outcome has its input and its number, also a rejection that comes out of order', async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready({ window: 8 });
    const inputs = [
      { mark: 'slow', until: scratch.path('go') },
      { mark: 'quick' },
      // A folder that is not there: the task throws.
      { mark: 'fails', log: scratch.path('none/log') },
    ];
    for (const ordered of [false, true]) {
      const seen: number[] = [];
      for await (const outcome of dispatcher.map('hold', inputs, { ordered, concurrency: 3 })) {
        assert.equal(outcome.input, inputs[outcome.index], 'the input itself');
        assert.equal(outcome.status, outcome.index === 2 ? 'rejected' : 'fulfilled');
        seen.push(outcome.index);
        if (seen.length === 2) scratch.touch('go');
      }
      assert.deepEqual(ordered ? seen : seen.slice().sort(), [0, 1, 2]);
    }
  }),
  test('without concurrency as many tasks run as the workers hold', async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready({ window: 3 });
    const log = scratch.path('log');
    const until = scratch.path('go');
    const inputs = countingInputs(12, (index) => ({ log, mark: `${index}`, until }));
    const values = collect(dispatcher.map('hold', inputs));
    await scratch.reached('log', 3);
    await turns();
    assert.equal(inputs.read, 3, 'inputs read');
    scratch.touch('go');
    assert.equal((await values).length, 12);
  }),
  test('map() of nothing gives nothing', async (stage) => {
    const dispatcher = await stage.ready();
    assert.deepEqual(await collect(dispatcher.map('echo', [])), []);
  }),
  test('map() reads async inputs too, and other iterables', async (stage) => {
    const dispatcher = await stage.ready();
    async function* inputs(): AsyncGenerator<string> {
      yield 'a';
      await turns(2);
      yield 'b';
      yield 'c';
    }
    assert.deepEqual(await collect(dispatcher.map('echo', inputs())), ['a', 'b', 'c']);
    const set = new Set([1, 2]);
    assert.deepEqual(await collect(dispatcher.map('echo', set, { concurrency: 1 })), [1, 2]);
  }),
  test('ordered outcomes wait for the first, unordered ones come as they settle', async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready({ window: 8 });
    for (const ordered of [true, false]) {
      const gate = `go-${ordered}`;
      const inputs = [
        { mark: 'slow', until: scratch.path(gate) },
        { mark: 'quick' },
        { mark: 'quick too' },
      ];
      const values: unknown[] = [];
      const outcomes = dispatcher.map('hold', inputs, { concurrency: 3, ordered });
      if (ordered) scratch.touch(gate);
      for await (const outcome of outcomes) {
        values.push(outcome.status === 'fulfilled' && outcome.value);
        if (values.length === 2) scratch.touch(gate);
      }
      assert.deepEqual(
        ordered ? values : [...values.slice(0, 2).sort(), values[2]],
        ordered ? ['slow', 'quick', 'quick too'] : ['quick', 'quick too', 'slow'],
      );
    }
  }),
  test('ordered outcomes keep their order when the first settles last', async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready({ window: 8 });
    const log = scratch.path('log');
    const inputs = [
      { mark: 'slow', until: scratch.path('go') },
      { mark: 'quick', log },
      { mark: 'quick too', log },
    ];
    const values = collect(dispatcher.map('hold', inputs, { concurrency: 3 }));
    await scratch.reached('log', 2);
    await dispatcher.run('echo', 'the quick ones have settled');
    scratch.touch('go');
    assert.deepEqual(await values, ['slow', 'quick', 'quick too']);
  }),
  test('concurrency bounds the tasks in flight and the inputs read', async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready({ max: 2, window: 8 });
    const log = scratch.path('log');
    const until = scratch.path('go');
    const inputs = countingInputs(12, (index) => ({ log, mark: `${index}`, until }));
    const values = collect(dispatcher.map('hold', inputs, { concurrency: 3, ordered: false }));
    await scratch.reached('log', 3);
    await turns();
    const { running, queued } = dispatcher.stats();
    assert.equal(running + queued, 3, 'tasks in flight');
    assert.equal(inputs.read, 3, 'inputs read');
    scratch.touch('go');
    assert.equal((await values).length, 12);
  }),
  test('inputs are read no further ahead of the consumer than concurrency', async (stage) => {
    const dispatcher = await stage.ready();
    for (const ordered of [true, false]) {
      const inputs = countingInputs(20, (index) => index);
      let taken = 0;
      for await (const outcome of dispatcher.map('echo', inputs, { concurrency: 4, ordered })) {
        assert.equal(outcome.status, 'fulfilled');
        taken += 1;
        await dispatcher.run('echo', 'those in flight have settled');
        assert.ok(inputs.read <= taken + 4, `${inputs.read} read when ${taken} were taken`);
      }
      assert.equal(taken, 20);
    }
  }),
  test('no input is read before the first outcome is requested', async (stage) => {
    const dispatcher = await stage.ready();
    const inputs = countingInputs(3, (index) => index);
    const outcomes = dispatcher.map('echo', inputs);
    await turns();
    assert.equal(inputs.read, 0);
    assert.deepEqual(await collect(outcomes), [0, 1, 2]);
  }),
  test('map() waits where the queue is full: it never meets ERR_QUEUE_FULL', async (stage) => {
    const dispatcher = await stage.ready({ window: 1, maxQueue: 1 });
    const inputs = Array.from({ length: 50 }, (_, a) => ({ a, b: 0 }));
    const values = await collect(dispatcher.map('add', inputs, { concurrency: 10 }));
    assert.equal(values.length, 50);
  }),
  test('a task that fails is an outcome among the others', async (stage) => {
    const dispatcher = await stage.ready();
    const reasons: unknown[] = [];
    for await (const outcome of dispatcher.map('fail', ['text', 'number', 'undefined'])) {
      reasons.push(outcome.status === 'rejected' ? outcome.reason : 'an answer');
    }
    assert.deepEqual(reasons, ['a text', 42, undefined]);
  }),
];

/** `map()` that ends before its inputs do. */
export const mapEndCases: readonly CaseDraft[] = [
  test('a consumer that stops early aborts the calls in flight and ends the inputs', async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready({ window: 8 });
    const log = scratch.path('log');
    const until = scratch.path('never');
    const inputs = countingInputs(100, (index) =>
      index === 0 ? { mark: 'first' } : { mark: `${index}`, log, until },
    );
    for await (const outcome of dispatcher.map('hold', inputs, { concurrency: 3 })) {
      assert.deepEqual(outcome, {
        status: 'fulfilled',
        value: 'first',
        input: { mark: 'first' },
        index: 0,
      });
      await scratch.reached('log', 2);
      break;
    }
    await scratch.reached('log', 4);
    const aborted = scratch.lines('log').filter((line) => line.includes('aborted'));
    assert.equal(aborted.length, 2, 'tasks in flight whose signal aborted');
    assert.equal(inputs.returned, 1, 'calls of return()');
    assert.ok(inputs.read <= 4, `${inputs.read} inputs read`);
    assert.equal(dispatcher.stats().running, 0);
  }),
  test('inputs that throw end map() with their error, after the calls so far have settled', async (stage) => {
    const dispatcher = await stage.ready();
    const error = new Error('no more inputs');
    function* inputs(): Generator<number> {
      yield 1;
      yield 2;
      throw error;
    }
    for (const concurrency of [1, 2, 10]) {
      const values: unknown[] = [];
      const reading = (async () => {
        for await (const outcome of dispatcher.map('echo', inputs(), { concurrency })) {
          values.push(outcome.status === 'fulfilled' && outcome.value);
        }
      })();
      assert.equal(await rejected(reading), error);
      assert.deepEqual(values, [1, 2]);
    }
    const { asked, completed } = dispatcher.stats();
    assert.deepEqual({ asked, completed }, { asked: 6, completed: 6 });
  }),
  test('async inputs that reject end map() in the same way', async (stage) => {
    const dispatcher = await stage.ready();
    const error = new Error('the source broke');
    async function* inputs(): AsyncGenerator<number> {
      yield 1;
      throw error;
    }
    const reading = collect(dispatcher.map('echo', inputs()));
    assert.equal(await rejected(reading), error);
  }),
  test('the signal of map() ends the calls in flight with its reason', async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready({ window: 8 });
    const controller = stage.controller();
    const log = scratch.path('log');
    const until = scratch.path('never');
    const inputs = countingInputs(100, (index) => ({ log, mark: `${index}`, until }));
    const reason = new Error('no more of this');
    const reasons: unknown[] = [];
    const reading = (async () => {
      const options = { concurrency: 2, signal: controller.signal };
      for await (const outcome of dispatcher.map('hold', inputs, options)) {
        reasons.push(outcome.status === 'rejected' ? outcome.reason : 'an answer');
      }
    })();
    const ended = rejected(reading);
    await scratch.reached('log', 2);
    controller.abort(reason);
    assert.equal(await ended, reason);
    assert.ok(
      reasons.every((each) => each === reason),
      'no other reason',
    );
    assert.equal(inputs.read, 2);
    assert.equal(inputs.returned, 1, 'calls of return()');
  }),
  test('close() ends map() with ERR_CLOSED: inputs are read no more, and each that was is an outcome', async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready({ window: 8 });
    const log = scratch.path('log');
    const until = scratch.path('never');
    const inputs = countingInputs(100, (index) => ({ log, mark: `${index}`, until }));
    const outcomes = dispatcher.map('hold', inputs, { concurrency: 2 });
    const reading = endOf(outcomes, 'ERR_CLOSED');
    await scratch.reached('log', 2);
    const [codes] = await Promise.all([reading, dispatcher.close()]);
    assert.deepEqual(codes, ['ERR_CLOSED', 'ERR_CLOSED']);
    assert.deepEqual([inputs.read, inputs.returned], [2, 1], 'inputs read, calls of return()');
    const after = countingInputs(100, (index) => index);
    assert.deepEqual(await endOf(dispatcher.map('echo', after), 'ERR_CLOSED'), []);
    assert.deepEqual([after.read, after.returned], [0, 1], 'after close()');
  }),
  test('drain() ends map() with ERR_DRAINING, once the calls that had begun have settled', async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready({ window: 8 });
    const log = scratch.path('log');
    const until = scratch.path('go');
    const inputs = countingInputs(100, (index) => ({ log, mark: `${index}`, until }));
    const reading = endOf(dispatcher.map('hold', inputs, { concurrency: 2 }), 'ERR_DRAINING');
    await scratch.reached('log', 2);
    const drained = dispatcher.drain();
    scratch.touch('go');
    assert.deepEqual(await reading, ['an answer', 'an answer']);
    assert.deepEqual([inputs.read, inputs.returned], [2, 1], 'inputs read, calls of return()');
    assert.deepEqual(await drained, { completed: 2, aborted: 0 });
  }),
  test('map() of an unknown task reads no more than its concurrency, and throws ERR_UNKNOWN_TASK', async (stage) => {
    const dispatcher = await stage.dispatcher();
    const inputs = countingInputs(100, (index) => index);
    const outcomes = dispatcher.map('none' as 'echo', inputs, { concurrency: 2 });
    const codes = await endOf(outcomes, 'ERR_UNKNOWN_TASK');
    assert.ok(inputs.read <= 2, `${inputs.read} inputs read`);
    assert.equal(codes.length, inputs.read, 'outcomes of the inputs read');
    assert.equal(inputs.returned, 1, 'calls of return()');
  }),
];

/** Returns the code of each outcome of `map`, which must throw at last. */
async function endOf(
  outcomes: AsyncIterable<PromiseSettledResult<unknown>>,
  code: DispatchErrorCode,
): Promise<readonly unknown[]> {
  const codes: unknown[] = [];
  const reading = (async () => {
    for await (const outcome of outcomes) {
      codes.push(outcome.status === 'rejected' ? outcome.reason.code : 'an answer');
    }
  })();
  await rejectedWith(code, reading);
  return codes;
}

/** Inputs that count reads, and calls of `return()`. */
interface CountingInputs<T> extends Iterable<T> {
  readonly read: number;
  readonly returned: number;
}

function countingInputs<T>(length: number, make: (index: number) => T): CountingInputs<T> {
  let read = 0;
  let returned = 0;
  return {
    get read() {
      return read;
    },
    get returned() {
      return returned;
    },
    [Symbol.iterator]: () => ({
      next() {
        if (read === length) return { done: true, value: undefined };
        read += 1;
        return { done: false, value: make(read - 1) };
      },
      return() {
        returned += 1;
        return { done: true, value: undefined };
      },
    }),
  };
}

/** Returns the values of all outcomes. @throws AssertionError if one was rejected */
export async function collect<T>(
  outcomes: AsyncIterable<PromiseSettledResult<T>>,
): Promise<readonly T[]> {
  const values: T[] = [];
  for await (const outcome of outcomes) {
    assert.ok(
      outcome.status === 'fulfilled',
      `the outcome must be an answer, got ${JSON.stringify(outcome)}`,
    );
    values.push(outcome.value);
  }
  return values;
}
