import { inspect } from 'node:util';
import { serialize } from 'node:v8';
import { expect, test } from 'vitest';
import { BatchingError, createCoalescer } from '../src/index.ts';
import {
  createMemoryCoordinator,
  createMemoryStore,
  shareLoads,
  structuredCodec,
} from '../src/shared/index.ts';
import { refuseUnhandledRejections, settleJobs } from './held-loads.ts';
import { called, machineOfEachTest } from './shared-machine.ts';

refuseUnhandledRejections();

const machine = machineOfEachTest();
const { createProcess, pass } = machine;

test('a value above maxBytes is not shared: each process loads for itself, for a minute', async () => {
  const settings = { maxBytes: 100, ttlMs: 5000 };
  const [leader, waiter] = [createProcess(settings), createProcess(settings)];
  const answers = [leader.users.get('ann')];
  await settleJobs();
  answers.push(waiter.users.get('ann'));
  await settleJobs();
  const large = 'x'.repeat(101);
  leader.calls[0]?.resolve(large);
  await settleJobs();
  waiter.calls[0]?.resolve(`${large}2`);
  expect(await Promise.all(answers)).toEqual([large, `${large}2`]);
  await pass(100);
  const both = [leader.users.get('ann'), waiter.users.get('ann')];
  await settleJobs();
  expect([leader, waiter].map(called)).toEqual([2, 2]);
  for (const { calls } of [leader, waiter]) calls[1]?.resolve('small');
  await Promise.all(both);
  expect(waiter.load.stats()).toMatchObject({ local: 2 });
  machine.clock.advance(60_000);
  const later = [leader.users.get('ann'), waiter.users.get('ann')];
  await settleJobs();
  expect([leader, waiter].map(called).sort()).toEqual([2, 3]);
  for (const { calls } of [leader, waiter]) calls[2]?.resolve('small');
  await Promise.all(later);
});

test.each([
  ['lone surrogates', '\ud800', '\ud801'],
  ['a lone surrogate and the character that replaces it', '\ud800', '\ufffd'],
  ['forms of a letter', 'é', 'e\u0301'],
  ['lone surrogates within a text', 'a\udc00b', 'a\udc01b'],
])('keys that differ in %s have values of their own [own-answer]', async (_label, key, other) => {
  const settings = { ttlMs: 1000 };
  const [one, another] = [createProcess(settings), createProcess(settings)];
  const answers = [one.users.get(key)];
  await settleJobs();
  one.calls[0]?.resolve('of the first');
  answers.push(another.users.get(other));
  await settleJobs();
  another.calls[0]?.resolve('of the second');
  expect(await Promise.all(answers)).toEqual(['of the first', 'of the second']);
  expect(await another.users.get(key)).toBe('of the first');
  expect([one, another].map(called)).toEqual([1, 1]);
});

test('a value that the codec refuses goes to the callers of its process; bytes that it refuses are loaded', async () => {
  const encode = (): Uint8Array => {
    throw new Error('cannot');
  };
  const refusing = createProcess({ codec: { encode, decode: String } });
  const first = refusing.users.get('ann');
  await settleJobs();
  refusing.calls[0]?.resolve('Ann');
  expect(await first).toBe('Ann');
  expect(refusing.load.stats()).toMatchObject({ unshared: 1 });

  const writer = createProcess({ ttlMs: 1000 });
  const second = writer.users.get('bob');
  await settleJobs();
  writer.calls[0]?.resolve('Bob');
  await second;
  await settleJobs();
  const decode = (): string => {
    throw new Error('another revision');
  };
  const reader = createProcess({ codec: { encode: () => new Uint8Array(), decode } });
  const third = reader.users.get('bob');
  await settleJobs();
  reader.calls[0]?.resolve('Bob 2');
  expect(await third).toBe('Bob 2');
  expect(reader.load.stats()).toMatchObject({ undecoded: 1, local: 1 });
});

test('a codec may be an object of a class, and its codecs of errors may be undefined', async () => {
  class Prefixed {
    readonly prefix = 'v1:';
    readonly encodeError = undefined;
    readonly decodeError = undefined;
    encode(value: string): Uint8Array {
      return Buffer.from(this.prefix + value);
    }
    decode(bytes: Uint8Array): string {
      return Buffer.from(bytes).toString().slice(this.prefix.length).toUpperCase();
    }
  }
  const options = { ttlMs: 1000, errorTtlMs: 1000, codec: new Prefixed() };
  const [writer, reader] = [createProcess(options), createProcess(options)];
  const first = writer.users.get('ann');
  const failing = writer.users.get('bob');
  await settleJobs();
  writer.calls[0]?.resolve('Ann');
  writer.calls[1]?.reject(new Error('no Bob'));
  expect(await first).toBe('Ann');
  await expect(failing).rejects.toThrow('no Bob');
  await settleJobs();
  expect(await reader.users.get('ann')).toBe('ANN');
  await expect(reader.users.get('bob')).rejects.toThrow('no Bob');
  expect(reader.load.stats()).toMatchObject({ kept: 2, local: 0 });
});

test('values are structured clones: Dates, Maps and binary data arrive as such', async () => {
  const value = { at: new Date(7), of: new Map([[1, new Set([2n])]]), bytes: Buffer.from('abc') };
  const make = () =>
    shareLoads(async (_: string) => value, {
      coordinator: createMemoryCoordinator({ store: machine.store }),
      name: 'x',
      ttlMs: 60_000,
    });
  const context = { key: 'a', signal: new AbortController().signal, waiters: 1 };
  await make()('a', context);
  await settleJobs();
  const loaded = await make()('a', context);
  expect(loaded).not.toBe(value);
  expect(loaded).toMatchObject({ at: value.at, of: value.of });
  expect(Buffer.from(loaded.bytes).toString()).toBe('abc');
});

test('refresh: a kept value is renewed in the background, earlier the longer its load took', async () => {
  let random = 0.5;
  const settings = { ttlMs: 10_000, random: () => random };
  const [one, another] = [createProcess(settings), createProcess(settings)];
  const first = one.users.get('ann');
  await settleJobs();
  await pass(1000);
  one.calls[0]?.resolve('Ann');
  await first;
  await settleJobs();
  // Its load took 1000 ms: -1000 * ln(0.5) is 693 ms before its end.
  await pass(9200);
  expect(await another.users.get('ann')).toBe('Ann');
  expect(called(another)).toBe(0);
  await pass(200);
  random = 0.01;
  expect(await Promise.all([one.users.get('ann'), another.users.get('ann')])).toEqual([
    'Ann',
    'Ann',
  ]);
  await settleJobs();
  expect(called(one) + called(another)).toBe(2);
  // While one of them loads, the value goes on for all.
  expect(await Promise.all([one.users.get('ann'), another.users.get('ann')])).toEqual([
    'Ann',
    'Ann',
  ]);
  const [renewing] = [one, another].filter(({ load }) => load.stats().renewals === 1);
  renewing?.calls.at(-1)?.resolve('Ann 2');
  await settleJobs();
  random = 0.999;
  expect(await another.users.get('ann')).toBe('Ann 2');
});

test('a renewal that fails leaves the kept value as it is, for its time', async () => {
  const one = createProcess({ ttlMs: 1000, random: () => 1e-300 });
  const first = one.users.get('ann');
  await settleJobs();
  machine.clock.advance(10);
  one.calls[0]?.resolve('Ann');
  await first;
  await settleJobs();
  machine.clock.advance(900);
  expect(await one.users.get('ann')).toBe('Ann');
  await settleJobs();
  one.calls[1]?.reject(new Error('no'));
  await settleJobs();
  expect(await one.users.get('ann')).toBe('Ann');
});

test('forget: a kept value is gone for all, and a load under way is not kept', async () => {
  const [one, another] = [createProcess({ ttlMs: 5000 }), createProcess({ ttlMs: 5000 })];
  const first = one.users.get('ann');
  await settleJobs();
  const waiting = another.users.get('ann');
  await settleJobs();
  await one.load.forget('ann');
  await settleJobs();
  // The process that waited leads now; the first one's callers get what they asked for before.
  one.calls[0]?.resolve('stale');
  expect(await first).toBe('stale');
  expect(called(another)).toBe(1);
  another.calls[0]?.resolve('fresh');
  expect(await waiting).toBe('fresh');
  await settleJobs();
  expect(await one.users.get('ann')).toBe('fresh');
  await another.load.forget('ann');
  const later = one.users.get('ann');
  await settleJobs();
  expect(called(one)).toBe(2);
  one.calls[1]?.resolve('newer');
  expect(await later).toBe('newer');
});

test('keys with equal values share, and names keep them apart', async () => {
  const coordinator = createMemoryCoordinator({ store: machine.store });
  let loads = 0;
  const load = async (key: { id: number; caller?: string }) => `${key.id}/${++loads}`;
  const options = { coordinator, ttlMs: 60_000 };
  const one = shareLoads(load, { ...options, name: 'a', key: ({ id }) => id });
  const whole = shareLoads(load, { ...options, name: 'b' });
  const context = { signal: new AbortController().signal, waiters: 1 };
  const get = async (from: typeof one, key: { id: number; caller?: string }) => {
    const value = await from(key, { ...context, key });
    await settleJobs();
    return value;
  };
  expect(await get(one, { id: 7, caller: 'x' })).toBe('7/1');
  expect(await get(one, { id: 7, caller: 'y' })).toBe('7/1');
  expect(await get(whole, { id: 7 })).toBe('7/2');
  expect(await get(whole, { id: 7 })).toBe('7/2');
  expect(await get(whole, { id: 7, caller: 'x' })).toBe('7/3');
});

test('jitter and a function of the value decide how long it is kept', async () => {
  const ttlMs = (value: string) => (value === 'short' ? 100 : 1000);
  const one = createProcess({ ttlMs, jitter: 0.5, refresh: 0 });
  for (const [key, ms] of [
    ['short', 75],
    ['long', 750],
  ] as const) {
    const first = one.users.get(key);
    await settleJobs();
    one.calls.at(-1)?.resolve(key);
    await first;
    await settleJobs();
    const before = called(one);
    await pass(ms - 1);
    expect(await one.users.get(key)).toBe(key);
    await pass(2);
    const again = one.users.get(key);
    await settleJobs();
    expect(called(one)).toBe(before + 1);
    one.calls.at(-1)?.resolve(key);
    await again;
    await settleJobs();
  }
});

test.each<[string, () => object]>([
  ['Headers', () => new Headers({ via: 'Atocha' })],
  ['a URL', () => new URL('http://trains.test/')],
  ['a Blob', () => new Blob(['train'])],
  ['a Response', () => new Response('train')],
])(
  '%s in a value is not shared, since it would arrive empty: each process loads',
  async (_name, create) => {
    const store = createMemoryStore();
    const processes = [1, 2].map(() => {
      const load = shareLoads(async (_: string) => ({ at: new Date(0), of: [create()] }), {
        coordinator: createMemoryCoordinator({ store }),
        name: 'x',
        ttlMs: 60_000,
      });
      return createCoalescer(load, { name: 'x' });
    });
    const answers = await Promise.all(processes.map((values) => values.get('a')));
    for (const { of } of answers) expect(inspect(of)).toBe(inspect([create()]));
  },
);

/** A failure as another process gets it. */
async function followed(thrown: unknown): Promise<{ error: unknown; led: number }> {
  const settings = { errorTtlMs: 1000 };
  const [leader, follower] = [createProcess(settings), createProcess(settings)];
  const first = leader.users.get('ann');
  await settleJobs();
  const second = follower.users.get('ann');
  await settleJobs();
  leader.calls[0]?.reject(thrown);
  await expect(first).rejects.toBe(thrown);
  const error = await second.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { error, led: called(follower) };
}

test('a follower gets all errors of an AggregateError, with their classes, codes and causes', async () => {
  const cause = new TypeError('refused', { cause: { status: 503 } });
  const coded = Object.assign(new RangeError('first', { cause }), { code: 'E_FIRST' });
  const { error, led } = await followed(new AggregateError([coded, 'second'], 'all failed'));
  expect(led).toBe(0);
  expect(error).toBeInstanceOf(AggregateError);
  const { errors } = error as AggregateError;
  expect(errors).toHaveLength(2);
  expect(errors[0]).toBeInstanceOf(RangeError);
  expect(errors[0]).toMatchObject({ message: 'first', code: 'E_FIRST' });
  expect(errors[0].cause).toBeInstanceOf(TypeError);
  expect(errors[0].cause.cause).toEqual({ status: 503 });
  expect(errors[1]).toBe('second');
});

test('a follower gets both errors of a SuppressedError, and other members that are not enumerable', async () => {
  const thrown = Object.defineProperties(new Error('both'), {
    name: { value: 'SuppressedError' },
    error: { value: new TypeError('at the end') },
    suppressed: { value: new RangeError('at first') },
  });
  const { error } = await followed(thrown);
  expect(error).toMatchObject({ name: 'SuppressedError', message: 'both' });
  expect((error as { error: unknown }).error).toEqual(new TypeError('at the end'));
  expect((error as { suppressed: unknown }).suppressed).toEqual(new RangeError('at first'));
  expect(Object.keys(error as object)).toEqual([]);
});

test('a BatchingError that a loader throws is one for followers, too', async () => {
  const data = { name: 'inner', limit: 5 };
  const { error } = await followed(new BatchingError('ERR_LOAD_TIMEOUT', 'too late', { data }));
  expect(BatchingError.is(error)).toBe(true);
  expect(error).toMatchObject({ code: 'ERR_LOAD_TIMEOUT', statusCode: 504, data });
});

test('a member __proto__ of an error stays a member, and the error an Error [redis-values]', async () => {
  const thrown = new Error('hostile');
  const value = { isAdmin: true };
  Object.defineProperty(thrown, '__proto__', { value, enumerable: true });
  const { error } = await followed(thrown);
  expect(error).toBeInstanceOf(Error);
  expect(Object.getPrototypeOf(error)).toBe(Error.prototype);
  expect((error as { isAdmin?: unknown }).isAdmin).toBeUndefined();
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['a text', 'Error: no'],
  ['no error', { kind: 'other' }],
  [
    'an error of an older version',
    { kind: 'error', name: 'E', message: 'm', stack: 's', fields: {} },
  ],
  [
    'an error without a text',
    { kind: 'error', type: 'Error', name: {}, message: {}, stack: 1, own: [] },
  ],
  [
    'members that are none',
    { kind: 'error', type: 'Error', name: 'E', message: 'm', stack: 's', own: [5] },
  ],
])('of a failure whose bytes are %s the decoder takes none [redis-values]', (_name, plain) => {
  const bytes = serialize(plain);
  expect(() => structuredCodec.decodeError?.(bytes)).toThrow(TypeError);
});

test('members of an error cannot set the prototype of what is made of its bytes [redis-values]', () => {
  const own = [['__proto__', { kind: 'value', value: { isAdmin: true } }]];
  const plain = { kind: 'error', type: '__proto__', name: 'E', message: 'm', stack: 's', own };
  const error = structuredCodec.decodeError?.(serialize(plain));
  expect(error).toBeInstanceOf(Error);
  expect(Object.getPrototypeOf(error)).toBe(Error.prototype);
});
