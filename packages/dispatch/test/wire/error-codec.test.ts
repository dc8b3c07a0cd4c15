import { expect, test } from 'vitest';
import { DispatchError } from '../../src/errors.ts';
import { decodeError, encodeError } from '../../src/wire/error-codec.ts';

/** Returns an error as it arrives on the other side. */
function arrived<T>(thrown: T): T {
  return decodeError(structuredClone(encodeError(thrown))) as T;
}

const classes = [
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
] as const;

test.each(classes.map((each) => [each.name, each] as const))(
  'a %s arrives with its class, name, message and stack',
  (name, Class) => {
    const thrown = new Class('no seats');
    const error = arrived(thrown);
    expect(Object.getPrototypeOf(error)).toBe(Class.prototype);
    expect(error).toMatchObject({ name, message: 'no seats' });
    expect(error.stack).toBe(thrown.stack);
    expect(Object.keys(error)).toEqual([]);
  },
);

class SoldOut extends RangeError {
  readonly code = 'ERR_SOLD_OUT';
  readonly seats = { left: 0, classes: new Set([1, 2]) };
  override name = 'SoldOut';
  retry(): void {}
}

test("an error of the task's own class is of the nearest that is built in, with its name and properties", () => {
  const error = arrived(new SoldOut('no seats'));
  expect(error).toBeInstanceOf(RangeError);
  expect(error).toMatchObject({ name: 'SoldOut', message: 'no seats', code: 'ERR_SOLD_OUT' });
  expect(error.seats).toEqual({ left: 0, classes: new Set([1, 2]) });
  expect(String(error)).toBe('SoldOut: no seats');
});

test('an error of the platform keeps its code', () => {
  let thrown: unknown;
  try {
    new URL('no url');
  } catch (error) {
    thrown = error;
  }
  expect(arrived(thrown)).toBeInstanceOf(TypeError);
  expect(arrived(thrown)).toMatchObject({ code: 'ERR_INVALID_URL', input: 'no url' });
});

test('a code that is not enumerable arrives', () => {
  const thrown = Object.defineProperty(new Error('x'), 'code', { value: 'E_HIDDEN' });
  expect(arrived(thrown)).toMatchObject({ code: 'E_HIDDEN' });
});

test('the chain of causes arrives, down to a value', () => {
  const thrown = new Error('a', { cause: new TypeError('b', { cause: { status: 503 } }) });
  const { cause } = arrived(thrown);
  expect(cause).toBeInstanceOf(TypeError);
  expect(cause).toMatchObject({ message: 'b', cause: { status: 503 } });
  expect(Object.hasOwn(arrived(new Error('x', { cause: undefined })), 'cause')).toBe(true);
  expect(Object.hasOwn(arrived(new Error('x')), 'cause')).toBe(false);
});

test('an AggregateError arrives with each of its errors', () => {
  const thrown = new AggregateError([new TypeError('a'), 'b', undefined, () => {}], 'all');
  const error = arrived(thrown);
  expect(error).toBeInstanceOf(AggregateError);
  expect(error.message).toBe('all');
  expect(error.errors).toHaveLength(4);
  expect(error.errors.slice(0, 3)).toEqual([new TypeError('a'), 'b', undefined]);
  expect(error.errors[3]).toMatchObject({ code: 'ERR_NOT_CLONEABLE' });
});

test('members that are not enumerable arrive as such', () => {
  const suppressed = { configurable: true, value: new RangeError('at first') };
  const thrown = Object.defineProperties(Object.assign(new Error('both'), { shown: 1 }), {
    suppressed,
  });
  const error: Error & { readonly suppressed?: unknown } = arrived(thrown);
  expect(error.suppressed).toEqual(new RangeError('at first'));
  expect(Object.keys(error)).toEqual(['shown']);
});

const { SuppressedError } = globalThis as unknown as {
  readonly SuppressedError?: new (error: unknown, suppressed: unknown, message: string) => Error;
};

test.skipIf(SuppressedError === undefined)('a SuppressedError arrives as one', () => {
  const Class = SuppressedError as NonNullable<typeof SuppressedError>;
  const error = arrived(new Class(new TypeError('a'), 'b', 'both'));
  expect(error).toBeInstanceOf(Class);
  expect(error).toMatchObject({ message: 'both', error: new TypeError('a'), suppressed: 'b' });
});

test('of more errors than there is room for, each beyond has a replacement', () => {
  const errors = Array.from({ length: 250 }, (_, at) => new Error(String(at)));
  const error = arrived(new AggregateError(errors, 'all'));
  expect(error.errors).toHaveLength(200);
  expect(error.errors[198].message).toBe('198');
  expect(error.errors[199]).toMatchObject({ code: 'ERR_NOT_CLONEABLE' });
});

test('an error that occurs again after a replaced one is still itself', () => {
  const first = new Error('first');
  const { errors } = arrived(new AggregateError([() => {}, first, first], 'all'));
  expect(errors[1].message).toBe('first');
  expect(errors[2]).toBe(errors[1]);
});

test.each([undefined, 5, {}, { kind: 'error', name: 5 }])('%o is no thrown value', (data) => {
  expect(() => decodeError(data)).toThrow(TypeError);
});

test.each([
  ['AbortError', AbortSignal.abort().reason],
  ['TimeoutError', new DOMException('too late', 'TimeoutError')],
])('a DOMException %s arrives as one', (name, thrown: DOMException) => {
  const error = arrived(thrown);
  expect(error).toBeInstanceOf(DOMException);
  expect([error.name, error.message, error.code]).toEqual([name, thrown.message, thrown.code]);
  expect(error.stack).toBe(thrown.stack);
});

test('a DispatchError arrives as one, with code, data and cause', () => {
  const data = { name: 'pool', task: 'search', limit: 5 };
  const thrown = new DispatchError('ERR_QUEUE_FULL', 'full', { data, cause: new Error('why') });
  const error = arrived(thrown);
  expect(DispatchError.is(error)).toBe(true);
  expect(error).toBeInstanceOf(DispatchError);
  expect(error).toMatchObject({ name: 'DispatchError', code: 'ERR_QUEUE_FULL', data });
  expect(error.cause).toEqual(new Error('why'));
  expect(error.stack).toBe(thrown.stack);
});

test.each<[string, unknown]>([
  ['undefined', undefined],
  ['null', null],
  ['a text', 'no'],
  ['a number', -0],
  ['a bigint', 5n],
  ['an object', { status: 503, at: new Date(0) }],
  ['an array', [1, undefined]],
])('%s that was thrown arrives as it was', (_name, thrown) => {
  expect(arrived(thrown)).toStrictEqual(thrown);
});

test('an object with a method arrives without it', () => {
  expect(arrived({ status: 503, retry: () => {}, inner: new Error('x') })).toEqual({
    status: 503,
    inner: new Error('x'),
  });
});

test.each<[string, unknown]>([
  ['a function', () => {}],
  ['Symbol(no)', Symbol('no')],
  ['an object without text', throwingProxy()],
  ['[object Response]', new Response('no train')],
  ['http://trains.test/', new URL('http://trains.test/')],
])('%s that was thrown arrives as ERR_NOT_CLONEABLE', (got, thrown) => {
  expect(arrived(thrown)).toMatchObject({
    code: 'ERR_NOT_CLONEABLE',
    message: `Cannot send what was thrown: ${got} could not be cloned`,
  });
});

function throwingProxy(): object {
  const refuse = (): never => {
    throw new Error('hands off');
  };
  const traps = ['get', 'has', 'ownKeys', 'getPrototypeOf', 'getOwnPropertyDescriptor'];
  return new Proxy(new Error('x'), Object.fromEntries(traps.map((trap) => [trap, refuse])));
}

test('a cause that cannot be read is left out', () => {
  const error = arrived(new Error('x', { cause: throwingProxy() }));
  expect(error.message).toBe('x');
  expect(error.cause).toBeUndefined();
});

test('properties that cannot be cloned or read are left out', () => {
  const thrown = Object.assign(new Error('x'), {
    request: { socket: () => {} },
    proxy: throwingProxy(),
    fine: 1,
  });
  const refuse = (): never => {
    throw new Error('hands off');
  };
  Object.defineProperty(thrown, 'bad', { get: refuse, enumerable: true });
  Object.defineProperty(thrown, 'stack', { get: refuse });
  const error = arrived(thrown);
  expect(Object.keys(error)).toEqual(['fine']);
  expect(error.stack).toBe('Error: x');
});

test('a name, message and stack that are no text are replaced', () => {
  const thrown = Object.assign(new TypeError('x'), { name: 5, message: undefined, stack: {} });
  expect(arrived(thrown)).toMatchObject({ name: 'Error', message: '' });
});

test('errors among the properties arrive as errors', () => {
  const error = arrived(Object.assign(new Error('x'), { inner: new SoldOut('y') }));
  expect(error.inner).toBeInstanceOf(RangeError);
  expect(error.inner.code).toBe('ERR_SOLD_OUT');
});

test('a property called __proto__ is only a property', () => {
  const thrown = new Error('x');
  Object.defineProperty(thrown, '__proto__', { value: { evil: 1 }, enumerable: true });
  const error = arrived(thrown);
  expect(Object.getPrototypeOf(error)).toBe(Error.prototype);
  expect(Object.keys(error)).toEqual(['__proto__']);
});

test('cycles arrive as cycles', () => {
  const thrown: Error & { self?: unknown } = new Error('a');
  thrown.self = thrown;
  thrown.cause = new Error('b', { cause: thrown });
  const error = arrived(thrown);
  expect(error.self).toBe(error);
  expect((error.cause as Error).cause).toBe(error);
});

test('an endless chain of causes is cut, and so are countless errors', () => {
  let thrown = new Error('last');
  for (let level = 0; level < 5000; level += 1) thrown = new Error('next', { cause: thrown });
  const chain: Error[] = [];
  for (let at: Error | undefined = arrived(thrown); at; at = at.cause as Error) chain.push(at);
  expect(chain).toHaveLength(17);

  const many = new AggregateError(Array.from({ length: 5000 }, () => new Error('x')));
  expect(arrived(many).errors).toHaveLength(200);
});
