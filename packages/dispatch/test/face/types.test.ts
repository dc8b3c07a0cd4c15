import {
  type BroadcastOutcome,
  createInProcessDispatcher,
  type Dispatcher,
  defineTasks,
  type InputOf,
  type ItemOf,
  type MapOutcome,
  type OutputOf,
  type ProgressOf,
  type RawJson,
  rawJson,
  type StreamFn,
  type StreamTask,
  type TaskContext,
  type TaskFn,
  type TaskMap,
  type TaskModule,
  type TasksOf,
  type Transferred,
  transferred,
} from '@ticketing/dispatch';
import { expect, expectTypeOf, test } from 'vitest';

interface Search {
  readonly from: string;
  readonly to?: string;
}

const module = defineTasks(
  {
    double: (input: number) => input * 2,
    search: async ({ from, to }: Search, context: TaskContext) =>
      `${from} ${to} ${context.attempt}`,
    nothing: () => 'from nothing',
    contextOnly: (_input: undefined, { workerId }: TaskContext) => workerId,
    json: (input: readonly string[]) => rawJson(input),
    bytes: (length: number) => {
      const bytes = new Uint8Array(length);
      return transferred(bytes, [bytes.buffer]);
    },
    perhaps: (input: string | undefined): string | undefined => input,
    rows: async (): Promise<RawJson | undefined> => undefined,
    offers: async function* (count: number, { attempt }: TaskContext) {
      for (let each = 1; each <= count; each += 1) yield { each, attempt };
    },
    documents: async function* () {
      yield rawJson(1);
    },
  },
  { setup: ({ workerId }) => expectTypeOf(workerId).toEqualTypeOf<number>() },
);
type Tasks = typeof module extends TaskModule<infer M> ? M : never;

async function withDispatcher(use: (dispatcher: Dispatcher<Tasks>) => unknown): Promise<void> {
  await using dispatcher = createInProcessDispatcher(module);
  expectTypeOf(dispatcher).toEqualTypeOf<Dispatcher<Tasks>>();
  await use(dispatcher);
}

test('run() types input and output by the name of the task', () =>
  withDispatcher(async (dispatcher) => {
    const double = dispatcher.run('double', 21);
    expectTypeOf(double).toEqualTypeOf<Promise<number>>();
    expect(await double).toBe(42);
    const search = dispatcher.run('search', { from: 'a', to: 'b' });
    expectTypeOf(search).toEqualTypeOf<Promise<string>>();
    expect(await search).toBe('a b 1');
    const perhaps = dispatcher.run('perhaps', 'x');
    expectTypeOf(perhaps).toEqualTypeOf<Promise<string | undefined>>();
    expect(await perhaps).toBe('x');
    expectTypeOf<InputOf<Tasks, 'double'>>().toEqualTypeOf<number>();
    expectTypeOf<InputOf<Tasks, 'search'>>().toEqualTypeOf<Search>();
    expectTypeOf<OutputOf<Tasks, 'search'>>().toEqualTypeOf<string>();
  }));

test('a task that takes no input is run by its name alone, or with undefined and options', () =>
  withDispatcher(async (dispatcher) => {
    const answer = dispatcher.run('nothing');
    expectTypeOf(answer).toEqualTypeOf<Promise<string>>();
    expect(await answer).toBe('from nothing');
    expect(await dispatcher.run('nothing', undefined, { timeoutMs: 60_000 })).toBe('from nothing');
    expect(await dispatcher.run('contextOnly')).toBe(1);
    const perhaps = dispatcher.run('perhaps');
    expectTypeOf(perhaps).toEqualTypeOf<Promise<string | undefined>>();
    expect(await perhaps).toBeUndefined();
    // @ts-expect-error: options are no input
    await dispatcher.run('nothing', { timeoutMs: 60_000 });
  }));

test('options of calls may be undefined, so that a caller passes its own on', () =>
  withDispatcher(async (dispatcher) => {
    const own: { signal?: AbortSignal | undefined; timeoutMs?: number | undefined } = {};
    const { signal, timeoutMs } = own;
    const none = undefined;
    const options = { signal, timeoutMs, key: none, retries: none, transfer: none };
    const others = { metadata: none, onProgress: none, onWorker: none, apartFrom: none };
    const last = { onNoWorker: none, runTimeoutMs: none };
    expect(await dispatcher.run('double', 2, { ...options, ...others, ...last })).toBe(4);
    const mapped = dispatcher.map('double', [2], { signal, concurrency: none, ordered: none });
    for await (const { status } of mapped) expect(status).toBe('fulfilled');
    await dispatcher.capacity(signal);
    await dispatcher.reload({ module: none, parallel: none });
    await dispatcher.drain({ timeoutMs });
    await dispatcher.close({ graceMs: none });
  }));

test('a context may be taken apart, and its parameter needs no type', async () => {
  const tasks = defineTasks({
    tell: (_input: undefined, { progress, slot, signal }) => {
      expectTypeOf(progress).toEqualTypeOf<(this: void, data: unknown) => void>();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      progress('heard');
      return slot;
    },
  });
  await using dispatcher = createInProcessDispatcher(tasks);
  const heard: unknown[] = [];
  const onProgress = (data: unknown) => heard.push(data);
  expect(await dispatcher.run('tell', undefined, { onProgress })).toBe(0);
  expect(heard).toEqual(['heard']);
});

const reporting = defineTasks({
  index: (count: number, { progress }: TaskContext<{ readonly done: number }>) => {
    for (let done = 1; done <= count; done += 1) progress({ done });
    return count;
  },
  each: async function* (count: number, { progress }: TaskContext<string>) {
    progress(`of ${count}`);
    yield count;
  },
  untyped: (_input: undefined, { progress }) => progress(1),
  double: (input: number) => input * 2,
});
type Reporting = TasksOf<typeof reporting>;

test('onProgress gets the type of the data that its task reports, in run(), map() and stream()', async () => {
  await using dispatcher = createInProcessDispatcher(reporting);
  const heard: unknown[] = [];
  await dispatcher.run('index', 2, {
    onProgress: (data) => {
      expectTypeOf(data).toEqualTypeOf<{ readonly done: number }>();
      heard.push(data.done);
    },
  });
  const mapped = dispatcher.map('index', [1], { onProgress: ({ done }) => heard.push(done) });
  for await (const { status } of mapped) expect(status).toBe('fulfilled');
  const onProgress = (data: string): unknown => heard.push(data);
  for await (const item of dispatcher.stream('each', 1, { onProgress })) heard.push(item);
  const any = (data: unknown): unknown => heard.push(data);
  await dispatcher.run('untyped', undefined, { onProgress: any });
  await dispatcher.run('index', 1, { onProgress: any });
  expect(heard).toEqual([1, 2, 1, 'of 1', 1, 1, { done: 1 }]);
  // @ts-expect-error: the task reports objects
  await dispatcher.run('index', 0, { onProgress });
  // @ts-expect-error: the task reports unknown data
  await dispatcher.run('double', 0, { onProgress });
});

test('ProgressOf is the data that a task reports; unknown without a type of its own', () => {
  expectTypeOf<ProgressOf<Reporting, 'index'>>().toEqualTypeOf<{ readonly done: number }>();
  expectTypeOf<ProgressOf<Reporting, 'each'>>().toEqualTypeOf<string>();
  expectTypeOf<ProgressOf<Reporting, 'untyped'>>().toEqualTypeOf<unknown>();
  expectTypeOf<ProgressOf<Reporting, 'double'>>().toEqualTypeOf<unknown>();
  expectTypeOf<ProgressOf<TaskMap, string>>().toEqualTypeOf<unknown>();
  type Declared = { readonly fill: TaskFn<string, number, bigint> };
  expectTypeOf<ProgressOf<Declared, 'fill'>>().toEqualTypeOf<bigint>();
  expectTypeOf<Dispatcher<Declared>>().toExtend<Dispatcher<Declared>>();
});

test('TasksOf is the tasks of a module, by its type or by that of its default export', () => {
  type Namespace = { readonly default: typeof module; readonly other: number };
  expectTypeOf<TasksOf<Namespace>>().toEqualTypeOf<Tasks>();
  expectTypeOf<TasksOf<typeof module>>().toEqualTypeOf<Tasks>();
  expectTypeOf<TasksOf<typeof import('../worker/serve-tasks-module.ts')>>().toExtend<TaskMap>();
});

test('Dispatcher of TasksOf is the type of any dispatcher of a module, also a double', async () => {
  type Ours = Dispatcher<TasksOf<{ readonly default: typeof module }>>;
  const doubled = async (dispatcher: Ours): Promise<number> => dispatcher.run('double', 2);
  await using double = createInProcessDispatcher(module, { clone: true });
  expect(await doubled(double)).toBe(4);
});

test('a task without parameters takes undefined', () =>
  withDispatcher(async (dispatcher) => {
    expectTypeOf<InputOf<Tasks, 'nothing'>>().toEqualTypeOf<undefined>();
    const answer = dispatcher.run('nothing', undefined);
    expectTypeOf(answer).toEqualTypeOf<Promise<string>>();
    expect(await answer).toBe('from nothing');
    const workerId = dispatcher.run('contextOnly', undefined);
    expectTypeOf(workerId).toEqualTypeOf<Promise<number>>();
    expect(await workerId).toBe(1);
    // @ts-expect-error: it takes nothing
    await dispatcher.run('nothing', 5);
  }));

test('rawJson() arrives as a Buffer, transferred() as its value', () =>
  withDispatcher(async (dispatcher) => {
    const json = dispatcher.run('json', ['a']);
    expectTypeOf(json).toEqualTypeOf<Promise<Buffer>>();
    expect((await json).toString()).toBe('["a"]');
    const bytes = dispatcher.run('bytes', 3);
    expectTypeOf(bytes).toEqualTypeOf<Promise<Uint8Array<ArrayBuffer>>>();
    expect(await bytes).toEqual(new Uint8Array(3));
    const rows = dispatcher.run('rows', undefined);
    expectTypeOf(rows).toEqualTypeOf<Promise<Buffer | undefined>>();
    expect(await rows).toBeUndefined();
  }));

test('transferred() without a list takes views, buffers and ports alone, and keeps their type', () => {
  expectTypeOf(transferred(Float32Array.of(1))).toEqualTypeOf<
    Transferred<Float32Array<ArrayBuffer>>
  >();
  expectTypeOf(transferred(Buffer.alloc(1))).toExtend<Transferred<Buffer>>();
  expectTypeOf(transferred(new ArrayBuffer(1))).toEqualTypeOf<Transferred<ArrayBuffer>>();
  // @ts-expect-error: its buffers must be named
  expect(() => transferred({ bytes: new Uint8Array(1) })).toThrow(TypeError);
});

test('stream() takes the tasks that give items, and types them; run() takes the others', () =>
  withDispatcher(async (dispatcher) => {
    const offers = dispatcher.stream('offers', 2, { window: 4, timeoutMs: 5000 });
    expectTypeOf(offers).toEqualTypeOf<
      AsyncIterableIterator<{ each: number; attempt: number }, undefined>
    >();
    // The results of the others are those of their tasks alone.
    const limits = { timeoutMs: 5000 };
    expectTypeOf(dispatcher.run('double', 2, limits)).toEqualTypeOf<Promise<number>>();
    const got: number[] = [];
    for await (const { each } of offers) got.push(each);
    expect(got).toEqual([1, 2]);
    for await (const document of dispatcher.stream('documents')) {
      expectTypeOf(document).toEqualTypeOf<Buffer>();
      expect(String(document)).toBe('1');
    }
    expectTypeOf<StreamTask<Tasks>>().toEqualTypeOf<'offers' | 'documents'>();
    expectTypeOf<ItemOf<Tasks, 'documents'>>().toEqualTypeOf<Buffer>();
    const fn: StreamFn<number, string> = async function* (count) {
      yield `${count}`;
    };
    expectTypeOf(fn).toExtend<TaskMap[string]>();
    // @ts-expect-error: it gives items
    await expect(dispatcher.run('offers', 2)).rejects.toThrow('use `stream`');
    // @ts-expect-error: it gives items
    await expect(dispatcher.run('documents')).rejects.toThrow('use `stream`');
    // @ts-expect-error: it gives one result
    await expect(dispatcher.stream('double', 2).next()).rejects.toThrow('use `run`');
    // @ts-expect-error: a number
    await dispatcher.stream('offers', '2').return?.();
    // @ts-expect-error: an input
    await dispatcher.stream('offers').return?.();
    // @ts-expect-error: an unknown option
    expect(() => dispatcher.stream('offers', 2, { concurrency: 2 })).toThrow(TypeError);
  }));

test('unknown names and wrong inputs do not compile', () =>
  withDispatcher(async (dispatcher) => {
    const calls = [
      // @ts-expect-error: no such task
      dispatcher.run('triple', 21),
      // @ts-expect-error: a number
      dispatcher.run('double', '21'),
      // @ts-expect-error: an input
      dispatcher.run('double'),
      // @ts-expect-error: a member is missing
      dispatcher.run('search', { to: 'b' }),
      // @ts-expect-error: an unknown option
      dispatcher.run('double', 21, { timeout: 5 }),
      // @ts-expect-error: milliseconds are a number
      dispatcher.run('double', 21, { timeoutMs: '5' }),
    ];
    await Promise.allSettled(calls);
    // @ts-expect-error: numbers
    dispatcher.map('double', ['a']);
    // @ts-expect-error: `map` has no affinity
    expect(() => dispatcher.map('double', [1], { key: 'a' })).toThrow(TypeError);
  }));

test('map() knows inputs and outcomes', () =>
  withDispatcher(async (dispatcher) => {
    const outcomes = dispatcher.map('double', new Set([1, 2]), { concurrency: 2 });
    expectTypeOf(outcomes).toEqualTypeOf<AsyncIterable<MapOutcome<number, number>>>();
    async function* inputs(): AsyncGenerator<readonly string[]> {
      yield ['a'];
    }
    expectTypeOf(dispatcher.map('json', inputs())).toEqualTypeOf<
      AsyncIterable<MapOutcome<readonly string[], Buffer>>
    >();
    const values: unknown[] = [];
    for await (const outcome of outcomes) {
      expectTypeOf(outcome.input).toEqualTypeOf<number>();
      if (outcome.status === 'fulfilled') expectTypeOf(outcome.value).toEqualTypeOf<number>();
      values.push(outcome);
    }
    expect(values).toEqual([
      { status: 'fulfilled', value: 2, input: 1, index: 0 },
      { status: 'fulfilled', value: 4, input: 2, index: 1 },
    ]);
  }));

test('broadcast() types input and outcomes by the name of the task', () =>
  withDispatcher(async (dispatcher) => {
    await dispatcher.ready();
    const doubled = await dispatcher.broadcast('double', 21);
    expectTypeOf(doubled).toEqualTypeOf<BroadcastOutcome<number>[]>();
    expect(doubled).toMatchObject([{ status: 'fulfilled', value: 42 }]);
    const nothing = await dispatcher.broadcast('nothing');
    expectTypeOf(nothing).toEqualTypeOf<BroadcastOutcome<string>[]>();
    expect(nothing).toMatchObject([{ status: 'fulfilled', value: 'from nothing' }]);
    const wrong = (): unknown => [
      // @ts-expect-error: a task with an input
      dispatcher.broadcast('double'),
      // @ts-expect-error: an input of another type
      dispatcher.broadcast('double', '21'),
      // @ts-expect-error: no task
      dispatcher.broadcast('half', 21),
    ];
    expect(wrong).toBeTypeOf('function');
  }));

test('a map of tasks may be written down', () => {
  type Written = {
    readonly double: TaskFn<number, number>;
    readonly bytes: TaskFn<undefined, Transferred<Uint8Array>>;
  };
  expectTypeOf<OutputOf<Written, 'bytes'>>().toEqualTypeOf<Uint8Array>();
  const written: TaskModule<Written> = defineTasks<Written>({
    double: (input) => input * 2,
    bytes: () => transferred(new Uint8Array(1), []),
  });
  expectTypeOf(written.tasks).toEqualTypeOf<Written>();
  expect(Object.keys(written.tasks)).toEqual(['double', 'bytes']);
  // @ts-expect-error: a task is a function
  expect(() => defineTasks({ five: 5 })).toThrow(TypeError);
});
