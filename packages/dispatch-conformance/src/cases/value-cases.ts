import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { rejectedWith } from '../calls.ts';
import { type CaseDraft, needsCopies, test } from '../conformance-case.ts';
import { platformObjects } from '../platform-objects.ts';

const own: unknown = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}');

/** Values that arrive like structured clones, by name. */
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

/** Values sent to a task and back. */
export const valueCases: readonly CaseDraft[] = [
  test('values of each kind arrive as they are, to the task and back', async (stage) => {
    const dispatcher = await stage.ready();
    for (const [name, value] of values) {
      assert.deepStrictEqual(await dispatcher.run('echo', value), value, name);
      const wrapped = { value };
      assert.deepStrictEqual(await dispatcher.run('echo', wrapped), wrapped, `${name}, inside`);
    }
  }),
  test('values of each kind arrive as they are, all at once', async (stage) => {
    const dispatcher = await stage.ready({ max: 2 });
    const answers = await Promise.all(values.map(([, value]) => dispatcher.run('echo', value)));
    for (const [index, [name, value]] of values.entries()) {
      assert.deepStrictEqual(answers[index], value, name);
    }
  }),
  test('an invalid Date arrives as one', async (stage) => {
    const dispatcher = await stage.ready();
    const answer = await dispatcher.run('echo', new Date(Number.NaN));
    // Not by `deepStrictEqual`: in Node 20 no invalid Date equals another.
    assert.ok(answer instanceof Date);
    assert.equal(String(answer.getTime()), 'NaN');
  }),
  test('a Buffer arrives with its bytes, and those only', async (stage) => {
    const dispatcher = await stage.ready();
    const bytes = Buffer.from('a part of a pool', 'utf8').subarray(2, 9);
    for (const sent of [bytes, { bytes }] as const) {
      const answer = await dispatcher.run('echo', sent);
      const got = 'bytes' in sent ? (answer as { bytes: unknown }).bytes : answer;
      assert.ok(got instanceof Uint8Array, 'bytes');
      assert.deepEqual([...got], [...bytes]);
    }
  }),
  test('a Buffer of 10 MB arrives, there and back', async (stage) => {
    const dispatcher = await stage.ready();
    const bytes = Buffer.alloc(10_000_000, 'ticket ');
    const answer = await dispatcher.run('echo', bytes);
    assert.ok(answer instanceof Uint8Array, 'bytes');
    assert.equal(bytes.compare(answer), 0);
  }),
  test('an object that a value holds twice, or that holds itself, stays one', async (stage) => {
    const dispatcher = await stage.ready();
    const shared = { list: [1] };
    const loop: { shared: unknown; also: unknown; self?: unknown } = { shared, also: shared };
    loop.self = loop;
    const answer = (await dispatcher.run('echo', loop)) as typeof loop;
    assert.equal(answer.self, answer);
    assert.equal(answer.shared, answer.also);
    assert.deepEqual(answer.shared, shared);
  }),
  test('an error is a value too', async (stage) => {
    const dispatcher = await stage.ready();
    const { error } = (await dispatcher.run('echo', { error: new TypeError('as data') })) as {
      error: unknown;
    };
    assert.ok(error instanceof TypeError);
    assert.equal(error.message, 'as data');
  }),
  test('rawJson arrives as a Buffer with the bytes that JSON.stringify makes', async (stage) => {
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
  }),
  test('rawJson of 5 MB arrives whole', async (stage) => {
    const dispatcher = await stage.ready();
    const text = 'é'.repeat(2_500_000);
    const answer = await dispatcher.run('json', text);
    assert.equal(answer.byteLength, 5_000_002);
    assert.equal(JSON.parse(answer.toString()), text);
  }),
  test('values of a task that json has marked arrive, small and large', async (stage) => {
    const dispatcher = await stage.ready();
    const offer = (cents: number): object => ({
      cents,
      name: 'Atocha – Sants 🚆',
      via: [null, true],
    });
    const values = [
      undefined,
      1.5,
      'é'.repeat(100_000),
      offer(1),
      Array.from({ length: 5000 }, (_, at) => offer(at)),
    ];
    const mixed = await Promise.all(
      values.flatMap((value) => [dispatcher.run('kept', value), dispatcher.run('echo', value)]),
    );
    assert.deepEqual(
      mixed,
      values.flatMap((value) => [value, value]),
    );
  }),
];

/** Values that cannot be cloned, or must not be shared. */
export const copyCases: readonly CaseDraft[] = [
  test(
    'a value of a task that json has marked, and that JSON cannot write, rejects that call alone',
    needsCopies,
    async (stage) => {
      const dispatcher = await stage.ready();
      const calls = [1, () => 1, 2].map((value) => dispatcher.run('kept', value));
      const [one, wrong, two] = calls as [Promise<unknown>, Promise<unknown>, Promise<unknown>];
      await rejectedWith('ERR_NOT_CLONEABLE', wrong);
      assert.deepEqual(await Promise.all([one, two]), [1, 2]);
    },
  ),
  test(
    'an input that cannot be cloned rejects that call alone, and the worker lives',
    needsCopies,
    async (stage) => {
      const dispatcher = await stage.ready();
      const before = await dispatcher.run('tell', undefined);
      const calls = [1, () => 1, 2, { symbol: Symbol('no') }, 3].map((input) =>
        dispatcher.run('echo', input),
      );
      const [one, first, two, second, three] = calls as [
        Promise<unknown>,
        Promise<unknown>,
        Promise<unknown>,
        Promise<unknown>,
        Promise<unknown>,
      ];
      const errors = [
        await rejectedWith('ERR_NOT_CLONEABLE', first),
        await rejectedWith('ERR_NOT_CLONEABLE', second),
      ];
      for (const { data, cause } of errors) {
        assert.equal(data.task, 'echo');
        assert.ok(cause !== undefined, 'a cause');
      }
      assert.deepEqual(await Promise.all([one, two, three]), [1, 2, 3]);
      assert.deepEqual((await dispatcher.run('tell', undefined)).workerId, before.workerId);
      assert.equal(dispatcher.stats().failed, 2);
    },
  ),
  test(
    'a result that cannot be cloned rejects that call alone, and the worker lives',
    needsCopies,
    async (stage) => {
      const dispatcher = await stage.ready();
      const before = await dispatcher.run('tell', undefined);
      const answers = [
        dispatcher.run('echo', 1),
        rejectedWith('ERR_NOT_CLONEABLE', dispatcher.run('returnFunction', undefined)),
        dispatcher.run('echo', 2),
        rejectedWith('ERR_NOT_CLONEABLE', dispatcher.run('returnFunction', undefined)),
        dispatcher.run('echo', 3),
      ];
      const [one, , two, , three] = await Promise.all(answers);
      assert.deepEqual([one, two, three], [1, 2, 3]);
      assert.equal((await dispatcher.run('tell', undefined)).workerId, before.workerId);
    },
  ),
  test(
    'an object of the platform is cloned or rejects that call alone, either way: none arrives empty',
    needsCopies,
    async (stage) => {
      const dispatcher = await stage.ready();
      const { transfer } = stage.subject.capabilities;
      for (const [name, { create, byPort }] of platformObjects) {
        const inside = { at: new Date(0), of: [create()] };
        const calls = {
          'alone, to the task': dispatcher.run('echo', create()),
          'to the task': dispatcher.run('echo', inside),
          'from the task': dispatcher.run('returnPlatformObject', name),
        };
        for (const [way, call] of Object.entries(calls)) {
          if (byPort && transfer) {
            const answer = await call;
            const got = way.startsWith('alone') ? answer : (answer as typeof inside).of[0];
            assert.equal(String(got), String(create()), `${name} ${way}`);
            assert.notEqual(inspect(got), '{}', `${name} ${way}`);
          } else {
            const { message } = await rejectedWith('ERR_NOT_CLONEABLE', call);
            assert.match(message, /could not be cloned/, `${name} ${way}`);
          }
        }
      }
      assert.equal(await dispatcher.run('echo', 1), 1);
    },
  ),
  test('objects of own classes arrive as plain ones', needsCopies, async (stage) => {
    const dispatcher = await stage.ready();
    class Seat {
      readonly number = 1;
      readonly #taken = true;
      isTaken = undefined;
      get taken(): boolean {
        return this.#taken;
      }
    }
    class Bell extends EventTarget {
      readonly rings = 2;
      readonly at = new Date(0);
    }
    class Secret {
      readonly #text = 'private';
      read = undefined;
      get text(): string {
        return this.#text;
      }
    }
    const value = { seats: [new Seat(), new Seat()], bell: new Bell(), none: new Secret() };
    assert.deepStrictEqual(await dispatcher.run('echo', value), {
      seats: [
        { number: 1, isTaken: undefined },
        { number: 1, isTaken: undefined },
      ],
      bell: { rings: 2, at: new Date(0) },
      none: { read: undefined },
    });
  }),
  test('a getter of an input that throws rejects that call alone', needsCopies, async (stage) => {
    const dispatcher = await stage.ready();
    const trap = {
      get seat(): string {
        throw new Error('looked');
      },
    };
    const calls = [
      dispatcher.run('echo', 1),
      dispatcher.run('echo', trap),
      dispatcher.run('echo', 2),
    ];
    const outcomes = await Promise.allSettled(calls);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
  }),
  test(
    'one object in the inputs of two calls is two objects for the tasks, and the caller’s stays',
    needsCopies,
    async (stage) => {
      const dispatcher = await stage.ready();
      const input = { list: ['given'], at: new Date(0) };
      const answers = await Promise.all([
        dispatcher.run('mutate', input),
        dispatcher.run('mutate', input),
        dispatcher.run('mutate', input),
      ]);
      for (const answer of answers) assert.deepEqual(answer, ['given', 'mutated']);
      assert.deepEqual(input.list, ['given']);
      assert.notEqual(answers[0], answers[1]);
    },
  ),
  test('an instance arrives with its members, without its class', needsCopies, async (stage) => {
    class Seat {
      number = 12;
      side(): string {
        return 'window';
      }
    }
    const dispatcher = await stage.ready();
    assert.deepStrictEqual(await dispatcher.run('echo', new Seat()), { number: 12 });
  }),
];
