import { createInProcessDispatcher, defineTasks, json, rawJson } from '@ticketing/dispatch';
import fc from 'fast-check';
import { expect, expectTypeOf, test } from 'vitest';
import { lossOfJson } from '../../src/json-task.ts';
import { FrameWriter } from '../../src/wire/frame-writer.ts';
import { decodeFromWorker, writeFromWorker } from '../../src/wire/from-worker-codec.ts';
import { decodeToWorker, encodeToWorker } from '../../src/wire/to-worker-codec.ts';
import { processChannel, runFrame } from '../wire-fixture.ts';

interface Query {
  readonly from: string;
  readonly via?: string;
  readonly ages: readonly number[];
}

const tasks = {
  search: json(async ({ from }: Query): Promise<readonly Query[]> => [{ from, ages: [30] }]),
  give: json((value: unknown) => value),
  count: json(async function* (most: number) {
    for (let each = 1; each <= most; each += 1) yield { each };
  }),
  raw: json((value: unknown): unknown => rawJson(value)),
};

test('a marked task keeps its type', () => {
  expectTypeOf(tasks.search).parameter(0).toEqualTypeOf<Query>();
  expectTypeOf(tasks.search).returns.resolves.toEqualTypeOf<readonly Query[]>();
});

test('the types refuse what JSON does not keep', () => {
  // @ts-expect-error because a date becomes a text
  json((input: { readonly at: Date }) => input.at.getTime());
  // @ts-expect-error because a map becomes an empty object
  json((): ReadonlyMap<string, number> => new Map());
  // @ts-expect-error because JSON cannot write a bigint
  json(async (): Promise<bigint[]> => [1n]);
  // @ts-expect-error because bytes become an object
  json(async function* () {
    yield new Uint8Array(1);
  });
});

test('what is no function cannot be marked', () => {
  expect(() => json('search' as never)).toThrow(
    new TypeError('Cannot mark task: it must be a function, got search'),
  );
});

test.each([new Date(0), new Map([[1, 2]]), Number.NaN, 1n])(
  'with `clone: true` a value that JSON changes is refused: %o',
  async (at) => {
    await using dispatcher = createInProcessDispatcher(defineTasks(tasks), { clone: true });
    await expect(dispatcher.run('give', { at })).rejects.toMatchObject({
      code: 'ERR_NOT_CLONEABLE',
    });
  },
);

test('the error of a value that JSON changes names its place', async () => {
  await using dispatcher = createInProcessDispatcher(defineTasks(tasks), { clone: true });
  await expect(dispatcher.run('give', { offers: [{ at: Number.NaN }] })).rejects.toThrow(
    'Cannot send the input of task `give`: JSON does not keep `offers[0].at`, which is NaN',
  );
});

test('with `clone: true` values, items and raw JSON of marked tasks arrive', async () => {
  await using dispatcher = createInProcessDispatcher(defineTasks(tasks), { clone: true });
  const query = { from: 'Madrid', ages: [30], via: undefined };
  expect(await dispatcher.run('give', query)).toStrictEqual({ from: 'Madrid', ages: [30] });
  expect(await dispatcher.run('give', undefined)).toBe(undefined);
  expect(String(await dispatcher.run('raw', [1]))).toBe('[1]');
  const items = [];
  for await (const item of dispatcher.stream('count', 3)) items.push(item.each);
  expect(items).toEqual([1, 2, 3]);
});

test('over a wire a value is what JSON makes of it, both ways', () => {
  fc.assert(
    fc.property(fc.anything({ withDate: true, withNullPrototype: true }), (value) => {
      const text: string | undefined = JSON.stringify(value);
      const { messages, unsent } = encodeToWorker(
        [runFrame(1, value, { json: true })],
        processChannel,
      );
      if (text === undefined && value !== undefined) {
        expect(unsent).toHaveLength(1);
        return;
      }
      const expected: unknown = text === undefined ? undefined : JSON.parse(text);
      const [run] = messages.flatMap((each) => decodeToWorker(processChannel.carry(each)) ?? []);
      expect(run).toMatchObject({ kind: 'run' });
      expect((run as { input: unknown }).input).toStrictEqual(expected);
      const writer = new FrameWriter(processChannel);
      writeFromWorker(writer, { kind: 'done', seq: 1, value, runMs: 0, json: true });
      const [done] = writer
        .take()
        .flatMap((each) => decodeFromWorker(processChannel.carry(each)) ?? []);
      expect((done as { value: unknown }).value).toStrictEqual(expected);
    }),
  );
});

test('a value without a loss is the same after JSON', () => {
  fc.assert(
    fc.property(fc.anything({ withDate: true, withMap: true, withSparseArray: true }), (value) => {
      fc.pre(value !== undefined);
      if (lossOfJson(value) === undefined) {
        expect(JSON.parse(JSON.stringify(value))).toEqual(value);
      }
    }),
  );
});

test.each([
  [{ offers: [{ at: new Date(0) }] }, '`offers[0].at`'],
  [[1, undefined], '`[1]`'],
  [[Object.assign([1], { index: 0 })], '`[0].index`'],
  [-0, 'the value'],
  [{ run: () => 1 }, '`run`'],
])('lossOfJson(%o) names %s', (value, path) => {
  expect(lossOfJson(value)).toMatch(`JSON does not keep ${path}, which is`);
});
