import { createSecretKey } from 'node:crypto';
import { BlockList } from 'node:net';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refuseLostObjects } from '../src/errors/lost-objects.ts';

const bytes = 10_000;
const refused = (value: unknown, options = { bytes }): string | undefined => {
  try {
    refuseLostObjects(value, 'v8', options);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(DOMException);
    expect((error as DOMException).name).toBe('DataCloneError');
    return (error as DOMException).message;
  }
};

const cycle: { self?: unknown; list: unknown[] } = { list: [undefined] };
cycle.self = cycle;
cycle.list.push(cycle.list);

function nested(depth: number, inside: unknown): object {
  let value: object = { inside };
  for (let level = 0; level < depth; level += 1) value = level % 2 ? [value] : { value };
  return value;
}

/** Each object is in the next one twice: as a tree it has 2^60 objects. */
function doubled(inside: unknown): object {
  let value: object = { inside };
  for (let level = 0; level < 60; level += 1) value = { one: value, other: value };
  return value;
}

const url = new URL('http://a.test/');
/** Values that take long to be made. */
const large = {
  holes: Object.assign(new Array(10_000_000), { 5: 1 }),
  holesAndUrl: Object.assign(new Array(10_000_000), { 5: url }),
  deep: nested(100_000, 1),
  deepUrl: nested(100_000, url),
};

class Seat {
  readonly row = 1;
}
class Private {
  readonly #row = 1;
  get row(): number {
    return this.#row;
  }
}
class Bell extends EventTarget {
  readonly rings = 1;
}
class Named {
  get [Symbol.toStringTag](): string {
    return 'Seat';
  }
}

describe.each([
  ['with the size of the clone', { bytes }],
  ['without it', { bytes: 0 }],
])('%s', (_label, options) => {
  test.each<[string, unknown]>([
    ['a text', 'http://a.test/'],
    ['null', null],
    ['plain objects', { a: { b: [{}, []] }, none: Object.create(null) }],
    ['each kind that a clone keeps', [new Date(0), /a/u, Object(1), new ArrayBuffer(2)]],
    ['views', [Buffer.alloc(2), new Float64Array(2), new DataView(new ArrayBuffer(1))]],
    ['collections', [new Map([[{}, new Set([1])]]), new Set([[]])]],
    ['errors', [new TypeError('x', { cause: { a: 1 } })]],
    ['objects of classes', [new Seat(), new Seat(), new Private(), new Bell(), new Named()]],
    ['objects of another realm', runInNewContext('[{}, [], new Date(), new Map(), new Error()]')],
    ['a cycle', cycle],
    ['objects in each other twice', doubled(1)],
    ['a list with ten million holes', large.holes],
    ['a deep value', large.deep],
  ])('%s may be cloned', (_name, value) => {
    expect(refused(value, options)).toBeUndefined();
  });

  test.each<[string, unknown]>([
    ['alone', url],
    ['in an object', { a: [{ url }] }],
    ['behind an object of a class', [new Seat(), { at: Object.assign(new Seat(), { url }) }]],
    ['as a key of a Map', new Map([[url, 1]])],
    ['as a value of a Map', new Map([[1, url]])],
    ['in a Set', new Set([url])],
    ['as the cause of an error', new Error('x', { cause: url })],
    ['beside a cycle', [cycle, url]],
    ['in objects that are in each other twice', doubled(url)],
    ['in a list with holes', large.holesAndUrl],
    ['deep', large.deepUrl],
    [
      'of a class of its own',
      Object.assign(new (class A extends URL {})('http://a.test/'), { a: 1 }),
    ],
  ])('a URL is refused %s', (_name, value) => {
    expect(refused(value, options)).toMatch(/^URL could not be cloned$/);
  });
});

test.each<[string, unknown]>([
  ['Blob', new Blob(['x'])],
  ['SecretKeyObject', createSecretKey(Buffer.alloc(8))],
  ['BlockList', new BlockList()],
])('a %s is refused for `node:v8`, and not for a port', (name, value) => {
  expect(refused([value])).toBe(`${name} could not be cloned`);
  expect(() => refuseLostObjects([value], 'port')).not.toThrow();
});

test('what no port clones is refused also behind what one does', () => {
  const value = [new AbortController().signal, new Blob([])];
  for (const each of [value, [...value].reverse()]) {
    expect(() => refuseLostObjects(each, 'port')).toThrow('AbortSignal could not be cloned');
  }
});

test('what is moved is not looked at', () => {
  const { readable } = new TransformStream();
  const value = { readable, url: undefined as unknown };
  expect(() => refuseLostObjects(value, 'port')).toThrow('ReadableStream');
  expect(() => refuseLostObjects(value, 'port', { except: [readable] })).not.toThrow();
  value.url = new URL('http://a.test/');
  expect(() => refuseLostObjects(value, 'port', { except: [readable] })).toThrow('URL');
});

test('a getter that throws is reported', () => {
  const value = {
    get seat(): unknown {
      throw new Error('looked');
    },
  };
  expect(() => refuseLostObjects(value, 'v8', { bytes })).toThrow('looked');
});

test('data is never refused, and a URL somewhere in it always is', () => {
  fc.assert(
    fc.property(fc.anything({ withMap: true, withSet: true, withDate: true }), (value) => {
      expect(refused(value)).toBeUndefined();
      expect(refused([value, { url: new URL('http://a.test/') }])).toBeDefined();
    }),
  );
});
