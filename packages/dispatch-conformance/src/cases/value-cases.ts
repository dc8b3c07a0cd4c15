import assert from 'node:assert/strict';
import type { CaseDraft } from '../conformance-case.ts';

const own: unknown = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}');

/** Values that pass as structured clones do, by what they are called. */
const values: readonly (readonly [name: string, value: unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['0', 0],
  ['-0', -0],
  ['NaN', Number.NaN],
  ['Infinity', Number.NEGATIVE_INFINITY],
  ['a large integer', Number.MAX_SAFE_INTEGER],
  ['true', true],
  ['false', false],
  ['an empty text', ''],
  ['a text of every plane', 'ñ € 🚆 \u0000 \u2028'],
  ['half a surrogate pair', '\ud83d'],
  ['a BigInt', 2n ** 70n],
  ['a Date', new Date(1_700_000_000_123)],
  ['a text like a Date', '2026-01-02T03:04:05.678Z'],
  ['a RegExp', /tren (\d+)/giu],
  [
    'a Map',
    new Map<unknown, unknown>([
      ['a', 1],
      [{ b: 2 }, new Set([3])],
    ]),
  ],
  ['a Set', new Set([1, 'two', null])],
  ['an empty object', {}],
  ['an object with undefined', { there: undefined, zero: -0, not: Number.NaN }],
  ['an object with toJSON as data', { toJSON: 'no function' }],
  ['an object with __proto__ of its own', own],
  ['an empty list', []],
  ['a list with undefined and null', [undefined, null, Number.NaN]],
  ['a list with holes', Object.assign(new Array(3), { 0: 1, 2: 3 })],
  ['a list in a list', [[[[]]], [{}]]],
  ['a Uint8Array', Uint8Array.of(0, 1, 255)],
  ['a Float64Array', Float64Array.of(-0, Number.NaN, 1.5)],
  ['a BigInt64Array', BigInt64Array.of(-1n, 2n)],
  ['an ArrayBuffer', Uint8Array.of(1, 2, 3).buffer],
  ['a nested mix', { at: new Date(0), list: [{ deep: new Map([[1n, Uint8Array.of(7)]]) }] }],
  ['a text of 1 MB', '🚆 '.repeat(200_000)],
  ['a list of 20,000 objects', Array.from({ length: 20_000 }, (_, id) => ({ id, name: `n${id}` }))],
];

/** What passes to a task and back. */
export const valueCases: readonly CaseDraft[] = [
  {
    name: 'values of each kind arrive as they are, to the task and back',
    async act(stage) {
      const dispatcher = await stage.ready();
      for (const [name, value] of values) {
        assert.deepStrictEqual(await dispatcher.run('echo', value), value, name);
        const wrapped = { value };
        assert.deepStrictEqual(await dispatcher.run('echo', wrapped), wrapped, `${name}, inside`);
      }
    },
  },
  {
    name: 'values of each kind arrive as they are, all at once',
    async act(stage) {
      const dispatcher = await stage.ready({ max: 2 });
      const answers = await Promise.all(values.map(([, value]) => dispatcher.run('echo', value)));
      for (const [index, [name, value]] of values.entries()) {
        assert.deepStrictEqual(answers[index], value, name);
      }
    },
  },
  {
    name: 'a Date that is none arrives as one',
    async act(stage) {
      const dispatcher = await stage.ready();
      const answer = await dispatcher.run('echo', new Date(Number.NaN));
      // Not by `deepStrictEqual`: to Node 20 no such Date equals another.
      assert.ok(answer instanceof Date);
      assert.equal(String(answer.getTime()), 'NaN');
    },
  },
  {
    name: 'a Buffer arrives with its bytes, and those only',
    async act(stage) {
      const dispatcher = await stage.ready();
      const bytes = Buffer.from('a part of a pool', 'utf8').subarray(2, 9);
      for (const sent of [bytes, { bytes }] as const) {
        const answer = await dispatcher.run('echo', sent);
        const got = 'bytes' in sent ? (answer as { bytes: unknown }).bytes : answer;
        assert.ok(got instanceof Uint8Array, 'bytes');
        assert.deepEqual([...got], [...bytes]);
      }
    },
  },
  {
    name: 'a Buffer of 10 MB arrives, there and back',
    async act(stage) {
      const dispatcher = await stage.ready();
      const bytes = Buffer.alloc(10_000_000, 'ticket ');
      const answer = await dispatcher.run('echo', bytes);
      assert.ok(answer instanceof Uint8Array, 'bytes');
      assert.equal(bytes.compare(answer), 0);
    },
  },
  {
    name: 'an object that stands twice in a value, or in itself, stays one',
    async act(stage) {
      const dispatcher = await stage.ready();
      const shared = { list: [1] };
      const loop: { shared: unknown; also: unknown; self?: unknown } = { shared, also: shared };
      loop.self = loop;
      const answer = (await dispatcher.run('echo', loop)) as typeof loop;
      assert.equal(answer.self, answer);
      assert.equal(answer.shared, answer.also);
      assert.deepEqual(answer.shared, shared);
    },
  },
  {
    name: 'an error is a value too',
    async act(stage) {
      const dispatcher = await stage.ready();
      const { error } = (await dispatcher.run('echo', { error: new TypeError('as data') })) as {
        error: unknown;
      };
      assert.ok(error instanceof TypeError);
      assert.equal(error.message, 'as data');
    },
  },
  {
    name: 'rawJson arrives as a Buffer with the bytes that JSON.stringify makes',
    async act(stage) {
      const dispatcher = await stage.ready();
      const value = { name: 'Atocha – Sants', list: [1, null, { at: '🚆' }], not: undefined };
      const answers = await Promise.all([
        dispatcher.run('json', value),
        dispatcher.run('json', 'a text'),
        dispatcher.run('json', []),
      ]);
      assert.ok(
        answers.every((answer) => Buffer.isBuffer(answer)),
        'Buffers',
      );
      assert.deepEqual(
        answers.map((answer) => answer.toString('utf8')),
        [JSON.stringify(value), '"a text"', '[]'],
      );
    },
  },
  {
    name: 'rawJson of 5 MB arrives whole',
    async act(stage) {
      const dispatcher = await stage.ready();
      const text = 'é'.repeat(2_500_000);
      const answer = await dispatcher.run('json', text);
      assert.equal(answer.byteLength, 5_000_002);
      assert.equal(JSON.parse(answer.toString()), text);
    },
  },
];
