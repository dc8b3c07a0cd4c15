import { AsyncLocalStorage } from 'node:async_hooks';
import { getEventListeners } from 'node:events';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import {
  BatchingError,
  createStreamCoalescer,
  type StreamCoalescer,
  type StreamReader,
} from '../src/streams/index.ts';
import { refuseUnhandledRejections, settleJobs, stateOf } from './held-loads.ts';
import { holdStreams, itemsOf } from './held-streams.ts';

refuseUnhandledRejections();

const name = 'test';
const done = { done: true, value: undefined };
const item = (value: unknown) => ({ done: false, value });

/** Returns the code of the error that a reader gets next. */
async function codeOf(reader: StreamReader<unknown>): Promise<string | undefined> {
  const error = await reader.next().catch((reason) => reason);
  return BatchingError.is(error) ? error.code : undefined;
}

test('50 readers of a key have one source, and each gets every item in order', async () => {
  const { open, streams } = holdStreams<string>();
  const coalescer = createStreamCoalescer(open, { name });
  const reading = Array.from({ length: 50 }, () => itemsOf(coalescer.follow('a')));
  expect(streams).toHaveLength(1);
  expect(streams[0]).toMatchObject({ key: 'a', context: { key: 'a', readers: 50 } });
  streams[0]?.send('1', '2', '3');
  streams[0]?.end();
  for (const items of await Promise.all(reading)) expect(items).toEqual(['1', '2', '3']);
  expect(coalescer.stats()).toEqual({
    ...{ name, asked: 50, opened: 1, joined: 49, failed: 0, left: 0, behind: 0, aborted: 0 },
    ...{ overflowed: 0, outgrown: 0, inFlight: 0, unshared: 0, readers: 0 },
  });
});

test('follow() opens the source at once; other keys have sources of their own, 1 and "1" too', () => {
  const { open, streams } = holdStreams<unknown>();
  const coalescer = createStreamCoalescer(open, { name });
  for (const key of [1, '1', 1n, null, undefined, 'toString']) coalescer.follow(key);
  expect(streams.map(({ key }) => key)).toEqual([1, '1', 1n, null, undefined, 'toString']);
});

test('a reader that joins late gets the whole, and then what comes', async () => {
  const { open, streams } = holdStreams<string>();
  const coalescer = createStreamCoalescer(open, { name });
  const first = coalescer.follow('a');
  streams[0]?.send('1', '2');
  expect(await first.next()).toEqual(item('1'));
  await settleJobs();
  const late = itemsOf(coalescer.follow('a'));
  streams[0]?.send('3');
  streams[0]?.end();
  expect(await late).toEqual(['1', '2', '3']);
  expect(await itemsOf(first)).toEqual(['2', '3']);
});

test('a key leaves as its source ends: the next call opens another, while readers read on', async () => {
  const { open, streams } = holdStreams<string>();
  const coalescer = createStreamCoalescer(open, { name });
  const slow = coalescer.follow('a');
  streams[0]?.send('1', '2');
  streams[0]?.end();
  await settleJobs();
  expect(coalescer.has('a')).toBe(false);
  expect(coalescer.stats()).toMatchObject({ inFlight: 0, readers: 1 });
  coalescer.follow('a');
  expect(streams).toHaveLength(2);
  expect(await itemsOf(slow)).toEqual(['1', '2']);
  expect(streams[0]).toMatchObject({ returned: 0, context: { signal: { aborted: false } } });
});

test('a slow reader costs the others nothing', async () => {
  const { open, streams } = holdStreams<string, number>();
  const coalescer = createStreamCoalescer(open, { name, maxItems: 10 });
  const slow = coalescer.follow('a');
  const quick = coalescer.follow('a');
  expect(await Promise.all([slow.next(), quick.next(), streams[0]?.send(0)])).toHaveLength(3);
  for (let value = 1; value < 100; value++) {
    streams[0]?.send(value);
    expect(await quick.next()).toEqual(item(value));
  }
  // It has fallen behind what is kept, is told so once, and does not hold the source.
  expect(await codeOf(slow)).toBe('ERR_READER_BEHIND');
  expect(await slow.next()).toEqual(done);
  expect(coalescer.stats()).toMatchObject({ behind: 1, left: 0, outgrown: 1, readers: 1 });
  await quick.return();
  expect(streams[0]?.context.signal.aborted).toBe(true);
});

test('a stream within its bounds is read to its end, also if no reader reads', async () => {
  const { open, streams } = holdStreams<string, number>();
  const coalescer = createStreamCoalescer(open, { name });
  const reader = coalescer.follow('a');
  for (let value = 0; value < 1000; value++) streams[0]?.send(value);
  streams[0]?.end();
  await settleJobs();
  expect(coalescer.stats().inFlight).toBe(0);
  expect(await itemsOf(reader)).toHaveLength(1000);
});

test('a source is read up to half of maxItems ahead of the fastest reader, then waits for it', async () => {
  const { open, streams } = holdStreams<string, number>();
  const coalescer = createStreamCoalescer(open, { name, maxItems: 10 });
  const readers = [coalescer.follow('a'), coalescer.follow('a')];
  for (let value = 0; value < 1000; value++) streams[0]?.send(value);
  streams[0]?.end();
  await settleJobs();
  expect(streams[0]?.asked).toBe(5);
  // Both have one pace: neither falls behind the other.
  for (let value = 0; value < 1000; value++) {
    for (const reader of readers) expect(await reader.next()).toEqual(item(value));
    await settleJobs();
    expect(streams[0]?.asked).toBe(Math.min(value + 6, 1001));
  }
  expect(await Promise.all(readers.map((reader) => reader.next()))).toEqual([done, done]);
  expect(coalescer.stats()).toMatchObject({ behind: 0, outgrown: 1 });
});

test('a stream that outgrows maxItems takes no further reader: the next call opens another', async () => {
  const { open, streams } = holdStreams<string, number>();
  const coalescer = createStreamCoalescer(open, { name, maxItems: 2 });
  const first = coalescer.follow('a');
  streams[0]?.send(1, 2);
  for (const value of [1, 2]) expect(await first.next()).toEqual(item(value));
  expect(coalescer.has('a')).toBe(true);
  streams[0]?.send(3);
  expect(await first.next()).toEqual(item(3));
  expect(coalescer.has('a')).toBe(false);
  expect(coalescer.stats()).toMatchObject({ outgrown: 1, inFlight: 1, unshared: 1 });
  coalescer.follow('a');
  expect(streams).toHaveLength(2);
  streams[0]?.end();
  expect(await first.next()).toEqual(done);
  expect(coalescer.stats()).toMatchObject({ inFlight: 1, unshared: 0 });
});

test('maxBytes counts text and binary data by their length, and all else by bytesOf', async () => {
  const cases = [
    { items: ['1234', '5678', '9'], bytesOf: undefined },
    { items: [new Uint8Array(4), new ArrayBuffer(4), new DataView(new ArrayBuffer(1))] },
    {
      items: [{ size: 4 }, { size: 4 }, { size: 1 }],
      bytesOf: (item: unknown) => (item as { size: number }).size,
    },
  ];
  for (const { items, bytesOf } of cases) {
    const { open, streams } = holdStreams<string, unknown>();
    const coalescer = createStreamCoalescer(open, { name, maxBytes: 8, bytesOf });
    const reader = coalescer.follow('a');
    const outgrown: number[] = [];
    for (const value of [...items, ...items]) {
      streams[0]?.send(value);
      expect(await reader.next()).toEqual(item(value));
      outgrown.push(coalescer.stats().outgrown);
    }
    // The newest does not count: the fifth is the first with more than 8 before it.
    expect(outgrown).toEqual([0, 0, 0, 1, 1, 1]);
  }
});

test('items of any size reach the fastest reader, also each above maxBytes', async () => {
  const { open, streams } = holdStreams<string>();
  const coalescer = createStreamCoalescer(open, { name, maxBytes: 1, maxItems: 1 });
  const reader = coalescer.follow('a');
  const items = Array.from({ length: 20 }, (_, index) => 'x'.repeat(index));
  streams[0]?.send(...items);
  streams[0]?.end();
  expect(await itemsOf(reader)).toEqual(items);
});

test('the last reader that leaves aborts the signal and ends the source', async () => {
  const { open, streams } = holdStreams<string>();
  const coalescer = createStreamCoalescer(open, { name });
  const readers = [coalescer.follow('a'), coalescer.follow('a')];
  const [stream] = streams;
  await readers[0]?.return();
  await readers[0]?.return();
  expect(stream).toMatchObject({ returned: 0, context: { readers: 1 } });
  await readers[1]?.return();
  expect(stream).toMatchObject({ returned: 1, context: { readers: 0 } });
  expect(stream?.context.signal.reason).toMatchObject({
    code: 'ERR_ABORTED',
    message: 'Stream of `test` was aborted: no reader is left',
    data: { name, key: 'a' },
  });
  expect(coalescer.stats()).toMatchObject({ left: 2, aborted: 1, failed: 0, inFlight: 0 });
  // The next call joins nothing that is ended.
  coalescer.follow('a');
  expect(streams).toHaveLength(2);
});

test('return() while next() is pending ends both at once', async () => {
  const { open, streams } = holdStreams<string>();
  const reader = createStreamCoalescer(open, { name }).follow('a');
  const pending = [reader.next(), reader.next(), reader.next()];
  streams[0]?.send('1');
  expect(await pending[0]).toEqual(item('1'));
  expect(await reader.return()).toEqual(done);
  expect(await Promise.all(pending.slice(1))).toEqual([done, done]);
  expect(await reader.next()).toEqual(done);
});

test('return() before the first item, after the last and after a failure is a calm end', async () => {
  const { open, streams } = holdStreams<string>();
  const coalescer = createStreamCoalescer(open, { name });
  expect(await coalescer.follow('a').return()).toEqual(done);
  const [ended, failed, unread] = [
    coalescer.follow('b'),
    coalescer.follow('c'),
    coalescer.follow('c'),
  ];
  streams[1]?.end();
  expect(await ended.next()).toEqual(done);
  expect(await ended.return()).toEqual(done);
  streams[2]?.fail(new Error('down'));
  await expect(failed.next()).rejects.toThrow('down');
  expect(await failed.return()).toEqual(done);
  // Who leaves before the error is read does not get it.
  expect(await unread.return()).toEqual(done);
  expect(await unread.next()).toEqual(done);
  expect(coalescer.stats()).toMatchObject({ left: 2, readers: 0, inFlight: 0 });
});

test('calls of next() that do not wait for each other get the items in order', async () => {
  const { open, streams } = holdStreams<string>();
  const reader = createStreamCoalescer(open, { name }).follow('a');
  const pending = [reader.next(), reader.next(), reader.next(), reader.next()];
  streams[0]?.send('1', '2');
  streams[0]?.end();
  expect(await Promise.all(pending)).toEqual([item('1'), item('2'), done, done]);
});

test('an error reaches every reader once, after the items before it', async () => {
  const { open, streams } = holdStreams<string>();
  const coalescer = createStreamCoalescer(open, { name });
  const readers = Array.from({ length: 5 }, () => coalescer.follow('a'));
  const error = new Error('down');
  streams[0]?.send('1');
  streams[0]?.fail(error);
  for (const reader of readers) {
    expect(await reader.next()).toEqual(item('1'));
    await expect(reader.next()).rejects.toBe(error);
    expect(await reader.next()).toEqual(done);
  }
  // As with `for await`, a source that has failed is not asked to return.
  expect(streams[0]).toMatchObject({ returned: 0, asked: 2 });
  expect(coalescer.stats()).toMatchObject({ failed: 1, inFlight: 0, readers: 0, left: 0 });
});

test('nothing is asked of a source after its end; what comes after the last reader has left is dropped', async () => {
  const { open, streams } = holdStreams<string>();
  const coalescer = createStreamCoalescer(open, { name });
  const reading = itemsOf(coalescer.follow('a'));
  streams[0]?.end();
  streams[0]?.send('late');
  expect(await reading).toEqual([]);
  expect(streams[0]?.asked).toBe(1);
  const left = coalescer.follow('a');
  await left.return();
  streams[1]?.send('late');
  streams[1]?.fail(new Error('late'));
  await settleJobs();
  expect(await left.next()).toEqual(done);
  expect(coalescer.stats()).toMatchObject({ failed: 0, aborted: 1, inFlight: 0 });
});

test.each([
  [
    'open throws',
    (error: Error) => {
      throw error;
    },
  ],
  ['open rejects', (error: Error) => Promise.reject(error)],
  [
    'there is no iterator',
    (error: Error) => ({
      [Symbol.asyncIterator]() {
        throw error;
      },
    }),
  ],
  [
    'next() throws',
    (error: Error) => ({
      [Symbol.asyncIterator]: () => ({
        next() {
          throw error;
        },
      }),
    }),
  ],
])('%s: the readers get the error, and the key can be followed again', async (_, openFailing) => {
  const error = new Error('down');
  let opened = 0;
  const coalescer = createStreamCoalescer<string, never>(
    () => {
      opened += 1;
      return openFailing(error) as never;
    },
    { name },
  );
  const reader = coalescer.follow('a');
  await expect(reader.next()).rejects.toBe(error);
  expect(coalescer.stats()).toMatchObject({ failed: 1, inFlight: 0, readers: 0 });
  await expect(coalescer.follow('a').next()).rejects.toBe(error);
  expect(opened).toBe(2);
});

test('a source whose return() throws, rejects or is missing ends quietly', async () => {
  const ways = [
    {
      return() {
        throw new Error('stuck');
      },
    },
    { return: () => Promise.reject(new Error('stuck')) },
    {},
  ];
  for (const way of ways) {
    const iterator = { next: () => new Promise(() => {}), ...way };
    const open = () => ({ [Symbol.asyncIterator]: () => iterator }) as never;
    const coalescer = createStreamCoalescer(open, { name });
    expect(await coalescer.follow('a').return()).toEqual(done);
    expect(coalescer.stats().inFlight).toBe(0);
  }
});

test('open may promise its source, which is ended if the readers have left meanwhile', async () => {
  const { open, streams } = holdStreams<string>();
  const gate: { open(): void }[] = [];
  const coalescer = createStreamCoalescer<string, string>(
    async (key, context) => {
      await new Promise<void>((resolve) => gate.push({ open: resolve }));
      return open(key, context);
    },
    { name },
  );
  const read = itemsOf(coalescer.follow('a'));
  gate[0]?.open();
  await settleJobs();
  streams[0]?.send('1');
  streams[0]?.end();
  expect(await read).toEqual(['1']);
  await coalescer.follow('b').return();
  gate[1]?.open();
  await settleJobs();
  expect(streams[1]).toMatchObject({
    asked: 0,
    returned: 1,
    context: { signal: { aborted: true } },
  });
});

test('generators, Readable and ReadableStream are sources that end with their last reader', async () => {
  let cleaned = 0;
  async function* generate(_: string, { signal }: { signal: AbortSignal }) {
    try {
      yield '1';
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    } finally {
      cleaned += 1;
    }
  }
  const readable = new Readable({ read() {}, objectMode: true });
  readable.push('1');
  const web = new ReadableStream<string>({
    start: (controller) => controller.enqueue('1'),
    cancel() {
      cleaned += 1;
    },
  });
  for (const open of [generate, () => readable, () => web as AsyncIterable<string>]) {
    const reader = createStreamCoalescer<string, string>(open, { name }).follow('a');
    expect(await reader.next()).toEqual(item('1'));
    await reader.return();
    await settleJobs();
  }
  expect(readable.destroyed).toBe(true);
  expect(cleaned).toBe(2);
});

test('a signal ends its reader with its reason, also a pending next(), and leaves no listener', async () => {
  const { open, streams } = holdStreams<string>();
  const coalescer = createStreamCoalescer(open, { name });
  const controller = new AbortController();
  const leaving = coalescer.follow('a', { signal: controller.signal });
  const staying = coalescer.follow('a', { signal: controller.signal });
  const other = coalescer.follow('a');
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
  await staying.return();
  const pending = leaving.next();
  controller.abort('gone');
  await expect(pending).rejects.toBe('gone');
  expect(await leaving.next()).toEqual(done);
  expect(await staying.next()).toEqual(done);
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  expect(streams[0]?.context.signal.aborted).toBe(false);
  streams[0]?.send('1');
  expect(await other.next()).toEqual(item('1'));
  const late = coalescer.follow('b', { signal: controller.signal });
  await expect(late.next()).rejects.toBe('gone');
  expect(streams).toHaveLength(1);
  expect(coalescer.stats()).toMatchObject({ left: 3, readers: 1 });
});

test('return() of a reader that was refused or aborted drops an error that was not read', async () => {
  const { open } = holdStreams<string>();
  const coalescer = createStreamCoalescer(open, { name, maxKeys: 1 });
  const controller = new AbortController();
  const aborted = coalescer.follow('a', { signal: controller.signal });
  const refused = coalescer.follow('b');
  controller.abort('gone');
  for (const reader of [aborted, refused]) {
    expect(await reader.return()).toEqual(done);
    expect(await reader.next()).toEqual(done);
  }
});

test('a reader that is done listens to its signal no longer', async () => {
  const { open, streams } = holdStreams<string>();
  const coalescer = createStreamCoalescer(open, { name });
  const { signal } = new AbortController();
  const [left, ended] = [coalescer.follow('a', { signal }), coalescer.follow('b', { signal })];
  await left.return();
  streams[1]?.end();
  expect(await itemsOf(ended)).toEqual([]);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a coalescer is named by its option, else after the function that opens streams', () => {
  const { open } = holdStreams<string>();
  const names = [createStreamCoalescer(open, { name }), createStreamCoalescer(open)];
  expect(names.map((each) => each.stats().name)).toEqual(['test', 'open']);
  expect(createStreamCoalescer((key: string, context) => open(key, context)).stats().name).toBe(
    'streams',
  );
});

test('a source that waited for its readers is ended as they leave', async () => {
  const { open, streams } = holdStreams<string, number>();
  const coalescer = createStreamCoalescer(open, { name, maxItems: 2 });
  const [reader, other] = [coalescer.follow('a'), coalescer.follow('a')];
  streams[0]?.send(1, 2, 3);
  await settleJobs();
  expect(streams[0]?.asked).toBe(1);
  // One more is wanted, and at once none.
  void reader.next();
  await Promise.all([reader.return(), other.return()]);
  await settleJobs();
  expect(streams[0]).toMatchObject({ asked: 1, returned: 1 });
});

test('forget() lets the next call open a stream; readers of the old one go on', async () => {
  const { open, streams } = holdStreams<string>();
  const coalescer = createStreamCoalescer(open, { name });
  const old = itemsOf(coalescer.follow('a'));
  expect([coalescer.forget('a'), coalescer.forget('a')]).toEqual([true, false]);
  const fresh = itemsOf(coalescer.follow('a'));
  expect(coalescer.stats()).toMatchObject({ inFlight: 2, unshared: 1 });
  streams[0]?.send('old');
  streams[1]?.send('new');
  for (const stream of streams) stream.end();
  expect(await Promise.all([old, fresh])).toEqual([['old'], ['new']]);
});

test('maxKeys and maxReadersPerKey: a call above them is refused by its first next()', async () => {
  const { open, streams } = holdStreams<string>();
  const coalescer = createStreamCoalescer(open, { name, maxKeys: 1, maxReadersPerKey: 2 });
  coalescer.follow('a');
  coalescer.follow('a');
  expect([coalescer.has('a'), coalescer.has('b')]).toEqual([false, false]);
  expect(await codeOf(coalescer.follow('a'))).toBe('ERR_TOO_MANY_READERS');
  expect(await codeOf(coalescer.follow('b'))).toBe('ERR_TOO_MANY_KEYS');
  expect(streams).toHaveLength(1);
  expect(coalescer.stats()).toMatchObject({ overflowed: 2, inFlight: 1, readers: 2 });
});

test('overflow: bypass gives a call above a bound a stream of its own', async () => {
  const { open, streams } = holdStreams<string>();
  const options = { name, maxKeys: 1, maxReadersPerKey: 1, overflow: 'bypass' } as const;
  const coalescer = createStreamCoalescer(open, options);
  const readers = ['a', 'a', 'b'].map((key) => coalescer.follow(key));
  expect(streams).toHaveLength(3);
  expect(coalescer.stats()).toMatchObject({ overflowed: 2, inFlight: 3, unshared: 2, opened: 3 });
  for (const reader of readers) await reader.return();
  expect(coalescer.stats()).toMatchObject({ aborted: 3, inFlight: 0 });
});

test('a source that follows its own key at once is refused', async () => {
  const coalescer: StreamCoalescer<string, string> = createStreamCoalescer(
    (key) => {
      expect(coalescer.has(key)).toBe(false);
      return coalescer.follow(key);
    },
    { name },
  );
  expect(await codeOf(coalescer.follow('a'))).toBe('ERR_REENTRANT');
});

test('close() ends all streams with ERR_CLOSED after the items that came, and refuses further calls', async () => {
  const { open, streams } = holdStreams<string>();
  const options = { name, maxKeys: 2, overflow: 'bypass' } as const;
  const coalescer = createStreamCoalescer(open, options);
  const readers = ['a', 'b', 'c'].map((key) => coalescer.follow(key));
  coalescer.forget('b');
  for (const stream of streams) stream.send('1');
  await settleJobs();
  await coalescer.close();
  await coalescer[Symbol.asyncDispose]();
  for (const reader of readers) {
    expect(await reader.next()).toEqual(item('1'));
    expect(await codeOf(reader)).toBe('ERR_CLOSED');
  }
  for (const { context, returned } of streams) {
    expect(returned).toBe(1);
    expect(context.signal.reason).toMatchObject({ code: 'ERR_CLOSED' });
  }
  expect(await codeOf(coalescer.follow('a'))).toBe('ERR_CLOSED');
  expect(coalescer.stats()).toMatchObject({ aborted: 3, inFlight: 0, readers: 0, opened: 3 });
});

test('a reader is disposed of by leaving', async () => {
  const { open, streams } = holdStreams<string>();
  const reader = createStreamCoalescer(open, { name }).follow('a');
  await reader[Symbol.asyncDispose]();
  expect(streams[0]?.returned).toBe(1);
});

test.each(['detached', 'caller'] as const)(
  'the source runs in the context: %s',
  async (context) => {
    const store = new AsyncLocalStorage<string>();
    async function* open() {
      yield store.getStore();
      await settleJobs();
      yield store.getStore();
    }
    const coalescer = store.run('creation', () => createStreamCoalescer(open, { name, context }));
    const read = store.run('first', () => itemsOf(coalescer.follow('a')));
    const other = store.run('second', () => itemsOf(coalescer.follow('a')));
    const expected = context === 'caller' ? 'first' : 'creation';
    for (const items of await Promise.all([read, other]))
      expect(items).toEqual([expected, expected]);
  },
);

test('a value of undefined is an item like any other', async () => {
  const { open, streams } = holdStreams<string, undefined>();
  const read = itemsOf(createStreamCoalescer(open, { name }).follow('a'));
  streams[0]?.send(undefined, undefined);
  streams[0]?.end();
  expect(await read).toEqual([undefined, undefined]);
});

test('a reader waits while nothing comes', async () => {
  const { open } = holdStreams<string>();
  expect(await stateOf(createStreamCoalescer(open, { name }).follow('a').next())).toBe('open');
});
