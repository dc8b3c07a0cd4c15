import { expect, test } from 'vitest';
import {
  createStreamCoalescer,
  type StreamCoalescer,
  type StreamReader,
} from '../src/streams/index.ts';
import { holdStreams } from './held-streams.ts';

async function* open(key: unknown) {
  yield key;
}
const name = 'test';

test.each([
  [() => createStreamCoalescer(5 as never, { name }), '`open` must be a function, got 5'],
  [() => createStreamCoalescer(open, null as never), '`options` must be an object, got null'],
  [() => createStreamCoalescer(open, { name: '' }), "`name` must be a text, got ''"],
  [
    () => createStreamCoalescer(open, { name, maxItem: 5 } as never),
    'unknown option `maxItem`; did you mean `maxItems`?',
  ],
  [
    () => createStreamCoalescer(open, { name, key: 'id' } as never),
    '`key` must be a function, got id',
  ],
  [
    () => createStreamCoalescer(open, { name, bytesOf: 5 } as never),
    '`bytesOf` must be a function, got 5',
  ],
  [
    () => createStreamCoalescer(open, { name, overflow: 'wait' as never }),
    '`overflow` must be one of reject, bypass, got wait',
  ],
  [
    () => createStreamCoalescer(open, { name, context: 'none' as never }),
    '`context` must be one of detached, caller, got none',
  ],
  [
    () => createStreamCoalescer(open, { name, clock: Date as never }),
    '`clock` must be an object with now, setTimeout, clearTimeout, got a function',
  ],
])('misuse %#: %s', (misuse, message) => {
  expect(misuse).toThrow(new TypeError(`Cannot create stream coalescer: ${message}`));
});

test.each([
  [{ maxItems: 0 }, '`maxItems` must be an integer of 1 or more, got 0'],
  [{ maxBytes: 0.5 }, '`maxBytes` must be an integer of 1 or more, got 0.5'],
  [{ maxKeys: -1 }, '`maxKeys` must be an integer of 1 or more, got -1'],
  [{ maxReadersPerKey: NaN }, '`maxReadersPerKey` must be an integer of 1 or more, got NaN'],
])('createStreamCoalescer(%j) is refused', (options, message) => {
  expect(() => createStreamCoalescer(open, { name, ...options })).toThrow(
    new RangeError(`Cannot create stream coalescer: ${message}`),
  );
});

test('follow() throws for wrong use, and opens nothing', () => {
  const held = holdStreams<unknown>();
  const coalescer = createStreamCoalescer(held.open, { name });
  expect(() => coalescer.follow('a', { signal: 'stop' } as never)).toThrow(
    new TypeError('Cannot follow: `signal` must be an AbortSignal, got stop'),
  );
  expect(() => coalescer.follow('a', { signals: 5 } as never)).toThrow(
    new TypeError('Cannot follow: unknown option `signals`; did you mean `signal`?'),
  );
  const needsKey = new TypeError(
    'Cannot follow a stream of `test`: a key that is an object needs option `key`',
  );
  for (const misuse of ['follow', 'has', 'forget'] as const) {
    expect(() => coalescer[misuse]({})).toThrow(needsKey);
  }
  const objects = createStreamCoalescer(held.open, { name, key: () => [] as never });
  expect(() => objects.follow('a')).toThrow(
    new TypeError(
      'Cannot follow a stream of `test`: option `key` must return a primitive, got an object',
    ),
  );
  expect(held.streams).toEqual([]);
  expect(coalescer.stats()).toMatchObject({ asked: 0, inFlight: 0 });
});

/** Returns what the next `next()` rejects with. */
const errorOf = (reader: StreamReader<unknown>) => reader.next().catch((error) => error);

test.each([
  [undefined, 'undefined'],
  [null, 'null'],
  [5, 'number'],
  [['a'], 'object'],
])('a source that is %j is refused', async (source, got) => {
  for (const opened of [source, Promise.resolve(source)]) {
    const coalescer = createStreamCoalescer(() => opened as never, { name });
    expect(await errorOf(coalescer.follow('a'))).toEqual(
      new TypeError(
        `Cannot open stream of \`test\`: \`open\` must return an async iterable, got ${got}`,
      ),
    );
  }
});

test.each([
  [Number.NaN, 'NaN'],
  [-1, '-1'],
  [Number.POSITIVE_INFINITY, 'Infinity'],
  ['5', 'string'],
])('bytesOf that returns %j fails the stream, and ends its source', async (bytes, got) => {
  const held = holdStreams<string>();
  const coalescer = createStreamCoalescer(held.open, { name, bytesOf: () => bytes as never });
  const reader = coalescer.follow('a');
  held.streams[0]?.send('1');
  const error = new TypeError(
    `Cannot keep an item of \`test\`: option \`bytesOf\` must return a number of 0 or more, got ${got}`,
  );
  expect(await errorOf(reader)).toEqual(error);
  expect(held.streams[0]).toMatchObject({ returned: 1, context: { signal: { reason: error } } });
  expect(coalescer.stats()).toMatchObject({ failed: 1, aborted: 0, inFlight: 0 });
});

test('errors of operation name what failed, the option and its value', async () => {
  const held = holdStreams<string>();
  const options = { name, maxKeys: 1, maxReadersPerKey: 2, maxItems: 1, maxBytes: 100 };
  const coalescer = createStreamCoalescer(held.open, options);
  const [slow, quick] = [coalescer.follow('a'), coalescer.follow('a')];
  expect(await errorOf(coalescer.follow('a'))).toMatchObject({
    code: 'ERR_TOO_MANY_READERS',
    message: 'Stream coalescer `test` is full: `maxReadersPerKey` (2) readers follow the key',
    statusCode: 503,
    data: { name, key: 'a', limit: 2 },
  });
  expect(await errorOf(coalescer.follow('b'))).toMatchObject({
    code: 'ERR_TOO_MANY_KEYS',
    message: 'Stream coalescer `test` is full: `maxKeys` (1) streams are in flight',
    statusCode: 503,
    data: { name, key: 'b', limit: 1 },
  });
  held.streams[0]?.send('1', '2', '3');
  for (let read = 0; read < 3; read++) await quick.next();
  expect(await errorOf(slow)).toMatchObject({
    code: 'ERR_READER_BEHIND',
    message:
      'Reader of `test` is too slow: an item that it has not read was displaced at `maxItems` (1) or `maxBytes` (100)',
    statusCode: 503,
    data: { name, key: 'a' },
  });
  await coalescer.close();
  expect(await errorOf(coalescer.follow('a'))).toMatchObject({
    code: 'ERR_CLOSED',
    message: 'Cannot follow a stream of `test`: the coalescer is closed',
    statusCode: 503,
  });
  const own: StreamCoalescer<string, string> = createStreamCoalescer((key) => own.follow(key), {
    name,
  });
  expect(await errorOf(own.follow('a'))).toMatchObject({
    code: 'ERR_REENTRANT',
    message: 'Cannot follow a stream of `test`: its source asked for the key that it is opening',
    statusCode: 500,
  });
});
