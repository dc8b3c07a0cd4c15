import { createManualClock, scaled } from '@ticketing/test-kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCoalescer } from '../src/index.ts';
import { settleJobs } from './held-loads.ts';

const RUNS = scaled({ fast: 300, full: 20_000 });
const TTL_MS = 100;
const MAX_ENTRIES = 3;

interface Value {
  readonly load: number;
  readonly tags: readonly string[];
}

type Step =
  | {
      readonly kind: 'get' | 'getFresh' | 'getLeavable' | 'forget' | 'has';
      readonly key: string;
    }
  | { readonly kind: 'resolve'; readonly which: number; readonly tags: readonly string[] }
  | { readonly kind: 'reject'; readonly which: number }
  | { readonly kind: 'forgetTag'; readonly tag: string }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'clear' };

const key = fc.constantFrom('a', 'b', 'c', 'd');
const tag = fc.constantFrom('red', 'green', 'blue');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        ...(['get', 'get', 'get', 'getFresh', 'getLeavable', 'forget', 'has'] as const),
      ),
      key,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('resolve' as const),
      which: fc.nat(6),
      tags: fc.array(tag, { maxLength: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('reject' as const), which: fc.nat(6) }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('forgetTag' as const), tag }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(1, 60, 100) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const) }) },
);

interface ModelLoad {
  readonly key: string;
  readonly number: number;
  readonly settle: { resolve(value: Value): void; reject(error: Error): void };
  /** Tags that were forgotten since it began. */
  readonly forgotten: Set<string>;
  /** Calls that came after that. */
  late: Call[];
}

interface Call {
  readonly key: string;
  /** Loads that had begun before the last `forgetTag` of each tag, when the call came. */
  readonly before: ReadonlyMap<string, number>;
  expected: { readonly load: number } | { readonly error: string } | undefined;
}

/** The naive model: a list of kept results that is looked through, and a set of forgotten tags for each load. */
class Model {
  kept: { key: string; load: number; tags: ReadonlySet<string>; until: number }[] = [];
  readonly current = new Map<string, ModelLoad>();
  readonly open: ModelLoad[] = [];
  readonly calls = new Map<ModelLoad, Call[]>();
  loaded = 0;
  outdated = 0;
  now = 0;

  find(name: string): Model['kept'][number] | undefined {
    this.kept = this.kept.filter((each) => each.key !== name || each.until > this.now);
    return this.kept.find((each) => each.key === name);
  }

  /** Answers a call; `load` is called where the loader is. */
  get(call: Call, load: () => ModelLoad): void {
    const found = this.find(call.key);
    if (found !== undefined) {
      this.kept = [...this.kept.filter((each) => each !== found), found];
      call.expected = { load: found.load };
      return;
    }
    const current = this.current.get(call.key);
    if (current !== undefined && current.forgotten.size > 0) current.late.push(call);
    else this.join(call, current ?? this.start(call.key, load));
  }

  start(name: string, load: () => ModelLoad): ModelLoad {
    const started = load();
    this.loaded += 1;
    this.current.set(name, started);
    this.open.push(started);
    return started;
  }

  join(call: Call, load: ModelLoad): void {
    this.calls.set(load, [...(this.calls.get(load) ?? []), call]);
  }

  /** Ends a load, and returns the calls that have to ask again. */
  end(load: ModelLoad, tags: readonly string[] | undefined): readonly Call[] {
    this.open.splice(this.open.indexOf(load), 1);
    const isCurrent = this.current.get(load.key) === load;
    if (isCurrent) this.current.delete(load.key);
    const isOutdated = tags?.some((each) => load.forgotten.has(each)) ?? false;
    const expected =
      tags === undefined ? { error: `failed ${load.number}` } : { load: load.number };
    for (const call of this.calls.get(load) ?? []) call.expected = expected;
    if (!isOutdated) for (const call of load.late) call.expected = expected;
    if (isCurrent && isOutdated) this.outdated += 1;
    if (isCurrent && tags !== undefined && !isOutdated) {
      const until = this.now + TTL_MS;
      const kept = { key: load.key, load: load.number, tags: new Set(tags), until };
      this.kept = [...this.kept.filter((each) => each.key !== load.key), kept].slice(-MAX_ENTRIES);
    }
    return isOutdated ? load.late : [];
  }

  forgetTag(name: string): number {
    for (const load of this.open) load.forgotten.add(name);
    const gone = this.kept.filter(({ tags }) => tags.has(name));
    this.kept = this.kept.filter(({ tags }) => !tags.has(name));
    return gone.filter(({ until }) => until > this.now).length;
  }
}

async function follow(steps: readonly Step[]): Promise<void> {
  const clock = createManualClock();
  const model = new Model();
  const settles: ModelLoad['settle'][] = [];
  const coalescer = createCoalescer<string, Value>(
    () => new Promise((resolve, reject) => settles.push({ resolve, reject })),
    { name: 'model', ttlMs: TTL_MS, maxEntries: MAX_ENTRIES, tags: ({ tags }) => tags, clock },
  );
  const calls: { readonly call: Call; readonly answer: Promise<unknown> }[] = [];
  const begunBefore = new Map<string, number>();
  const loadOf = (name: string, number: number) => (): ModelLoad => {
    const settle = settles[number] as ModelLoad['settle'];
    return { key: name, number, settle, forgotten: new Set(), late: [] };
  };
  const tagsByLoad = new Map<number, readonly string[]>();
  const ended = (load: ModelLoad, tags: readonly string[] | undefined): void => {
    tagsByLoad.set(load.number, tags ?? []);
    for (const call of model.end(load, tags)) {
      model.get(call, loadOf(call.key, model.loaded));
    }
  };
  for (const now of steps) {
    switch (now.kind) {
      case 'get':
      case 'getFresh':
      case 'getLeavable': {
        const before = new Map(begunBefore);
        const call: Call = { key: now.key, before, expected: undefined };
        const options = {
          get: undefined,
          getFresh: { fresh: true },
          getLeavable: { signal: new AbortController().signal, timeoutMs: 1e6 },
        }[now.kind];
        const answer = coalescer.get(now.key, options).then(
          ({ load }) => ({ load }),
          (error: Error) => ({ error: error.message }),
        );
        calls.push({ call, answer });
        if (now.kind === 'getFresh') {
          model.kept = model.kept.filter((each) => each.key !== now.key);
          model.join(call, model.start(now.key, loadOf(now.key, model.loaded)));
        } else model.get(call, loadOf(now.key, model.loaded));
        break;
      }
      case 'has': {
        const current = model.current.get(now.key);
        const expected =
          model.find(now.key) !== undefined ||
          (current !== undefined && current.forgotten.size === 0);
        expect(coalescer.has(now.key)).toBe(expected);
        break;
      }
      case 'resolve': {
        const load = model.open[now.which];
        if (load === undefined) break;
        load.settle.resolve({ load: load.number, tags: now.tags });
        await settleJobs();
        ended(load, now.tags);
        break;
      }
      case 'reject': {
        const load = model.open[now.which];
        if (load === undefined) break;
        load.settle.reject(new Error(`failed ${load.number}`));
        await settleJobs();
        ended(load, undefined);
        break;
      }
      case 'forget': {
        const known = model.find(now.key) !== undefined;
        model.kept = model.kept.filter((each) => each.key !== now.key);
        const wasLoading = model.current.delete(now.key);
        if (known || wasLoading) expect(coalescer.forget(now.key)).toBe(true);
        else coalescer.forget(now.key);
        break;
      }
      case 'forgetTag':
        expect(coalescer.forgetTag(now.tag)).toBe(model.forgetTag(now.tag));
        begunBefore.set(now.tag, model.loaded);
        break;
      case 'pass':
        clock.advance(now.ms);
        model.now += now.ms;
        break;
      default:
        coalescer.clear();
        model.kept = [];
        model.current.clear();
    }
    expect(coalescer.stats()).toMatchObject({
      loaded: model.loaded,
      inFlight: model.open.length,
      kept: model.kept.length,
      tags: new Set(model.kept.flatMap(({ tags }) => [...tags])).size,
      tagEntries: model.kept.reduce((sum, { tags }) => sum + tags.size, 0),
      outdated: model.outdated,
    });
  }
  while (model.open.length > 0) {
    const load = model.open[0] as ModelLoad;
    load.settle.resolve({ load: load.number, tags: ['red'] });
    await settleJobs();
    ended(load, ['red']);
  }
  for (const { call, answer } of calls) {
    const got = await answer;
    expect(got).toEqual(call.expected);
    if (typeof got !== 'object' || got === null || !('load' in got)) continue;
    // The promise in short: no value with a tag whose load began before that tag was forgotten, and the call came after.
    for (const each of tagsByLoad.get(got.load as number) ?? []) {
      expect(got.load as number).toBeGreaterThanOrEqual(call.before.get(each) ?? 0);
    }
  }
  const { asked, led, joined, hits } = coalescer.stats();
  expect(led + joined + hits).toBe(asked);
}

test('random steps with tags do what a naive model does: answers, loads, and the size of the index', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), follow), {
    numRuns: RUNS,
  });
}, 600_000);
