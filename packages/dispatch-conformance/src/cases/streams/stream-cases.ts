import assert from 'node:assert/strict';
import { tracingChannel } from 'node:diagnostics_channel';
import { turns, until } from '@ticketing/test-kit';
import { coded, rejected } from '../../calls.ts';
import { type CaseDraft, needsCopies, needsStreams, test } from '../../conformance-case.ts';
import { needsStreamsAnd, numbers, read } from './read-items.ts';

/** Items of `stream()`, and their number. */
export const streamCases: readonly CaseDraft[] = [
  test(
    'items come in their order, and the stream ends after the last',
    needsStreams,
    async (stage) => {
      const dispatcher = await stage.ready();
      const items = dispatcher.stream('items', { count: 100 });
      assert.deepEqual(await read(items), { got: numbers(100), error: undefined });
      assert.deepEqual(await items.next(), { done: true, value: undefined });
      assert.deepEqual(await read(dispatcher.stream('items', { count: 0 })), {
        got: [],
        error: undefined,
      });
      const { asked, completed } = dispatcher.stats();
      assert.deepEqual([asked, completed], [2, 2]);
    },
  ),
  test('10,000 items arrive, with a window of 1, 3, 16 and 1000', needsStreams, async (stage) => {
    const dispatcher = await stage.ready({ window: 4 });
    const streams = [1, 3, 16, 1000].map((window) =>
      read(dispatcher.stream('items', { count: window === 1 ? 500 : 10_000 }, { window })),
    );
    const counts = (await Promise.all(streams)).map(({ got, error }) => {
      assert.equal(error, undefined);
      assert.deepEqual(got, numbers(got.length));
      return got.length;
    });
    assert.deepEqual(counts, [500, 10_000, 10_000, 10_000]);
  }),
  test(
    'a task is never more than the window ahead of its consumer',
    needsStreams,
    async (stage) => {
      const { scratch } = stage;
      const dispatcher = await stage.ready();
      const items = dispatcher.stream('items', { log: scratch.path('log') }, { window: 4 });
      const made = (): number => scratch.lines('log').length - 1;
      for (let taken = 1; taken <= 40; taken += 1) {
        assert.deepEqual(await items.next(), { done: false, value: taken });
        assert.ok(made() <= taken + 4, `${made()} items made, ${taken} taken`);
        if (taken % 10 !== 0) continue;
        await scratch.reached('log', 1 + taken + 4);
        await dispatcher.run('echo', 1);
        await turns();
        assert.equal(made(), taken + 4, 'items made while the consumer waits');
      }
      await items.return?.();
      await until(() => scratch.lines('log').at(-1) === 'ended');
    },
  ),
  test(
    'a stream that is not read makes no call, and wrong options throw at once',
    needsStreams,
    async (stage) => {
      const dispatcher = await stage.ready();
      const unread = dispatcher.stream('items', { count: 1 });
      await dispatcher.run('echo', 1);
      assert.equal(dispatcher.stats().asked, 1);
      await unread.return?.();
      assert.deepEqual(await unread.next(), { done: true, value: undefined });
      const wrong = (): unknown => dispatcher.stream('items', {}, { window: 0 });
      assert.throws(wrong, {
        name: 'RangeError',
        message: 'Cannot stream task: `window` must be an integer of 1 to 65536, got 0',
      });
    },
  ),
  test(
    'consumers that are slow hold up no other call, and no other stream',
    needsStreams,
    async (stage) => {
      const dispatcher = await stage.ready({ window: 1 });
      const streams = numbers(5).map(() =>
        dispatcher.stream('items', { count: 20 }, { window: 2 }),
      );
      const firsts = await Promise.all(streams.map((items) => items.next()));
      assert.deepEqual(
        firsts.map(({ value }) => value),
        [1, 1, 1, 1, 1],
      );
      assert.deepEqual(
        await Promise.all(numbers(20).map((number) => dispatcher.run('echo', number))),
        numbers(20),
      );
      for (const items of streams) {
        assert.deepEqual(await read(items), { got: numbers(20).slice(1), error: undefined });
      }
    },
  ),
  test('two streams and other calls share a worker', needsStreams, async (stage) => {
    const dispatcher = await stage.ready({ window: 8 });
    const streams = [300, 200].map((count) => read(dispatcher.stream('items', { count })));
    const calls = numbers(50).map((number) => dispatcher.run('echo', number));
    assert.deepEqual(await Promise.all(calls), numbers(50));
    const [one, two] = await Promise.all(streams);
    assert.deepEqual([one?.got, two?.got], [numbers(300), numbers(200)]);
  }),
  test(
    'items are JSON, bytes and reports as results are, and in one order',
    needsStreams,
    async (stage) => {
      const dispatcher = await stage.ready();
      const json = await read(dispatcher.stream('jsonItems', [{ a: 1 }, [null, 'ü']]));
      assert.ok(json.got.every((item) => Buffer.isBuffer(item)));
      assert.deepEqual(json.got.map(String), ['{"a":1}', '[null,"ü"]']);
      const heard: unknown[] = [];
      const onProgress = (length: unknown): void => void heard.push(length);
      const bytes = dispatcher.stream('byteItems', [3, 70_000, 5], { onProgress });
      for await (const item of bytes) {
        assert.ok(item instanceof Uint8Array);
        assert.ok(item.every((byte) => byte === item.length % 256));
        heard.push([item.length]);
      }
      assert.deepEqual(heard.flat().sort(), [3, 3, 5, 5, 70_000, 70_000].sort());
      assert.ok(heard.indexOf(3) < heard.findIndex((each) => Array.isArray(each)));
    },
  ),
  test(
    'an item that cannot be cloned rejects with ERR_NOT_CLONEABLE after those before it, and ends the task',
    needsStreamsAnd(needsCopies),
    async (stage) => {
      const { scratch } = stage;
      const dispatcher = await stage.ready();
      const input = { log: scratch.path('log'), mark: 'ended' };
      const { got, error } = await read(dispatcher.stream('functionItems', input));
      assert.deepEqual(got, [1]);
      assert.match(
        coded('ERR_NOT_CLONEABLE', error).message,
        /^Cannot send an item of task `functionItems`: /,
      );
      assert.deepEqual(scratch.lines('log'), ['ended']);
      assert.equal(await dispatcher.run('echo', 1), 1);
    },
  ),
  test('a generator runs in the stores of task:start', needsStreams, async (stage) => {
    const dispatcher = await stage.ready();
    await dispatcher.run('traceTasks', true);
    const { got } = await read(dispatcher.stream('tracedItems', undefined, { window: 1 }));
    const events = await dispatcher.run('traceTasks', false);
    assert.deepEqual(
      got.map((each) => (each as { task: string }).task),
      ['tracedItems', 'tracedItems'],
    );
    const own = events.filter(({ message }) => message['task'] === 'tracedItems');
    assert.deepEqual(
      own.map(({ event }) => event),
      ['start', 'end', 'asyncStart', 'asyncEnd'],
    );
    assert.equal(tracingChannel('ticketing:dispatch:task').hasSubscribers, false);
  }),
  test(
    'run() refuses a task that gives items, stream() one that gives a result',
    needsStreams,
    async (stage) => {
      const dispatcher = await stage.ready();
      const { error } = await read(dispatcher.stream('echo' as 'items', { count: 1 }));
      assert.equal((error as Error).name, 'TypeError');
      assert.equal(
        (error as Error).message,
        'Cannot stream task `echo`: it gives one result, no items; use `run`',
      );
      const other = await rejected(dispatcher.run('items' as 'echo', { count: 1 }));
      assert.equal((other as Error).name, 'TypeError');
      assert.equal(
        (other as Error).message,
        'Cannot run task `items`: it gives items one by one; use `stream`',
      );
      const unknown = await read(dispatcher.stream('tickets' as 'items', {}));
      coded('ERR_UNKNOWN_TASK', unknown.error);
    },
  ),
  test(
    'where there are none, stream() throws at once and says so',
    ({ streams }) => (streams ? 'it has streams' : undefined),
    async (stage) => {
      const dispatcher = await stage.ready();
      assert.throws(() => dispatcher.stream('items', { count: 1 }), {
        name: 'TypeError',
        message: `Cannot stream task \`items\`: dispatchers of kind \`${dispatcher.kind}\` have no streams (\`capabilities.streams\`)`,
      });
    },
  ),
];
