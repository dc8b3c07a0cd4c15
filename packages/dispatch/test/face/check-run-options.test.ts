import { expect, test } from 'vitest';
import type { MapOptions, RunOptions } from '../../src/contract/dispatcher.ts';
import { checkMapOptions, checkRunOptions } from '../../src/kernel/checks.ts';

const run = (options: unknown) => () => checkRunOptions(options as RunOptions);
const map = (options: unknown) => () => checkMapOptions(options as MapOptions);
const { signal } = new AbortController();
const TIMER = 2_147_483_647;

const shared = {
  signal,
  timeoutMs: 1,
  queueTimeoutMs: TIMER,
  runTimeoutMs: 0.1 + 0.9,
  priority: -1000,
  idempotent: true,
  retries: 100,
  metadata: { trace: 'a', none: '' },
  onProgress: () => {},
};

test('checkRunOptions() takes what the contract names', () => {
  expect(run({})).not.toThrow();
  expect(run({ ...shared, key: '' })).not.toThrow();
  expect(run({ ...shared, retries: 0, transfer: [new ArrayBuffer(1)] })).not.toThrow();
  expect(run({ ...shared, transfer: undefined })).not.toThrow();
  expect(run({ priority: 1000, idempotent: false, retries: 0 })).not.toThrow();
  expect(run({ metadata: Object.assign(Object.create(null), { a: 'b' }) })).not.toThrow();
});

test('checkMapOptions() takes what the contract names', () => {
  expect(map({})).not.toThrow();
  expect(map({ ...shared, concurrency: 1, ordered: false })).not.toThrow();
});

test('checkRunOptions() and checkMapOptions() take undefined as absent', () => {
  const absent = Object.fromEntries(Object.keys(shared).map((name) => [name, undefined]));
  expect(run({ ...absent, key: undefined, transfer: undefined })).not.toThrow();
  expect(map({ ...absent, concurrency: undefined, ordered: undefined })).not.toThrow();
});

test.each<[object, string, typeof TypeError | typeof RangeError]>([
  [{ signal: {} }, '`signal` must be an AbortSignal, got {}', TypeError],
  [{ signal: null }, '`signal` must be an AbortSignal, got null', TypeError],
  [{ timeoutMs: 0 }, `\`timeoutMs\` must be 1 to ${TIMER}, got 0`, RangeError],
  [{ timeoutMs: Infinity }, `\`timeoutMs\` must be 1 to ${TIMER}, got Infinity`, RangeError],
  [{ timeoutMs: '5' }, `\`timeoutMs\` must be 1 to ${TIMER}, got 5`, TypeError],
  [{ queueTimeoutMs: -1 }, `\`queueTimeoutMs\` must be 1 to ${TIMER}, got -1`, RangeError],
  [{ runTimeoutMs: NaN }, `\`runTimeoutMs\` must be 1 to ${TIMER}, got NaN`, RangeError],
  [{ priority: 0.5 }, '`priority` must be an integer of -1000 to 1000, got 0.5', RangeError],
  [{ priority: 1001 }, '`priority` must be an integer of -1000 to 1000, got 1001', RangeError],
  [{ idempotent: 1 }, '`idempotent` must be true or false, got 1', TypeError],
  [
    { idempotent: true, retries: 101 },
    '`retries` must be an integer of 0 to 100, got 101',
    RangeError,
  ],
  [{ retries: -1 }, '`retries` must be an integer of 0 to 100, got -1', RangeError],
  [{ metadata: 'a' }, '`metadata` must be an object of texts, got a', TypeError],
  [
    { metadata: { a: 1 } },
    '`metadata` must be an object of texts, got an object with a',
    TypeError,
  ],
  [
    { metadata: new Map([['a', 'b']]) },
    '`metadata` must be an object of texts, got [object Map]',
    TypeError,
  ],
  [{ metadata: ['a'] }, '`metadata` must be an object of texts, got [a]', TypeError],
  [{ onProgress: true }, '`onProgress` must be a function, got true', TypeError],
])('checkRunOptions() and checkMapOptions() refuse %j', (options, message, error) => {
  for (const [check, action] of [
    [run(options), 'run task'],
    [map(options), 'map tasks'],
  ] as const) {
    expect(check).toThrow(error);
    expect(check).toThrow(`Cannot ${action}: ${message}`);
  }
});

test('checkRunOptions() refuses keys and buffers of other types', () => {
  expect(run({ key: 7 })).toThrow(new TypeError('Cannot run task: `key` must be a text, got 7'));
  const expected = 'Cannot run task: `transfer` must be an array of ArrayBuffers and MessagePorts';
  const buffer = new ArrayBuffer(1);
  expect(run({ transfer: buffer })).toThrow(
    new TypeError(`${expected}, got an ArrayBuffer of 1 byte`),
  );
  expect(run({ transfer: [new Uint8Array(buffer)] })).toThrow(
    new TypeError(`${expected}, got [a Uint8Array of 1 byte]`),
  );
  expect(run({ transfer: [new SharedArrayBuffer(1)] })).toThrow(TypeError);
});

test('a member that every object inherits is no option and no metadata', () => {
  const shown = { configurable: true, enumerable: true, writable: true, value: () => {} };
  Object.defineProperty(Object.prototype, 'inherited', shown);
  try {
    expect(run({ metadata: { tenant: 'a' }, priority: 1 })).not.toThrow();
    expect(map({ metadata: { tenant: 'a' }, concurrency: 1 })).not.toThrow();
    expect(run({ metadata: { tenant: 5 } })).toThrow(TypeError);
  } finally {
    Reflect.deleteProperty(Object.prototype, 'inherited');
  }
});

test("checkRunOptions() refuses Node's shared pool, and says where it is from", () => {
  const { buffer } = Buffer.from('in the pool');
  expect(run({ transfer: [new ArrayBuffer(1), buffer] })).toThrow(
    new TypeError(
      "Cannot run task: `transfer` must have buffers that can be moved, got Node's shared pool, where small Buffers are (`Buffer.from('x').buffer`); move a copy: `Uint8Array.from(bytes).buffer`",
    ),
  );
  expect(run({ transfer: [new Uint8Array(8192).buffer] })).not.toThrow();
});

test('checkRunOptions() takes a list of no buffers as none', () => {
  expect(run({ transfer: [], retries: 1, idempotent: true })).not.toThrow();
});

test('checkRunOptions() refuses transfer with retries', () => {
  for (const options of [
    { idempotent: true, retries: 1, transfer: [new ArrayBuffer(1)] },
    { transfer: [new ArrayBuffer(1)], retries: 1, idempotent: true },
  ]) {
    expect(run(options)).toThrow(
      new TypeError(
        'Cannot run task: `retries` must be 0 with `transfer`, since moved buffers cannot be sent again',
      ),
    );
  }
});

test('checkRunOptions() and checkMapOptions() refuse retries of a task that may not run twice', () => {
  for (const options of [{ retries: 1 }, { retries: 1, idempotent: false }]) {
    expect(run(options)).toThrow(
      new TypeError('Cannot run task: `idempotent` must be true with `retries`'),
    );
    expect(map(options)).toThrow(
      new TypeError('Cannot map tasks: `idempotent` must be true with `retries`'),
    );
  }
});

test('checkMapOptions() refuses counts and flags of other types', () => {
  expect(map({ concurrency: 0 })).toThrow(
    new RangeError('Cannot map tasks: `concurrency` must be an integer of 1 or more, got 0'),
  );
  expect(map({ ordered: 'yes' })).toThrow(
    new TypeError('Cannot map tasks: `ordered` must be true or false, got yes'),
  );
});

test('checkRunOptions() and checkMapOptions() refuse unknown options, and options of each other', () => {
  const unknown = (action: string, name: string) =>
    `Cannot ${action}: unknown option \`${name}\`; `;
  const timeout = new TypeError(`${unknown('run task', 'timeout')}did you mean \`timeoutMs\`?`);
  expect(run({ timeout: 1 })).toThrow(timeout);
  expect(run({ timeout: undefined })).toThrow(timeout);
  expect(run({ concurrency: 1 })).toThrow(unknown('run task', 'concurrency'));
  expect(map({ key: 'a' })).toThrow(unknown('map tasks', 'key'));
  expect(map({ transfer: [] })).toThrow(unknown('map tasks', 'transfer'));
  expect(run(JSON.parse('{ "__proto__": 1 }'))).toThrow(unknown('run task', '__proto__'));
});

test('checkRunOptions() and checkMapOptions() refuse options that are no object', () => {
  for (const options of [null, 5, 'a']) {
    const got = `\`options\` must be an object, got ${options}`;
    expect(run(options)).toThrow(new TypeError(`Cannot run task: ${got}`));
    expect(map(options)).toThrow(new TypeError(`Cannot map tasks: ${got}`));
  }
});

test('checkRunOptions() ignores members of Object.prototype', () => {
  const prototype = Object.prototype as { polluted?: unknown };
  prototype.polluted = 1;
  try {
    expect(run({ priority: 1 })).not.toThrow();
  } finally {
    delete prototype.polluted;
  }
});
