import { DataLoader as Own } from '@ticketing/batching/dataloader';
import { scaled } from '@ticketing/test-kit';
import Npm from 'dataloader';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const RUNS = scaled({ fast: 100, full: 10_000 });

type Step =
  | { readonly kind: 'load' | 'clear' | 'prime' | 'primeError'; readonly key: number }
  | { readonly kind: 'loadMany'; readonly keys: readonly number[] }
  | { readonly kind: 'clearAll' | 'wait' };

interface Plan {
  readonly steps: readonly Step[];
  readonly options: Npm.Options<number, string>;
  /** Batches that fail as a whole, by their least key. */
  readonly broken: readonly number[];
}

const key = fc.integer({ min: 1, max: 6 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('load' as const), key }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('loadMany' as const),
      keys: fc.array(key, { maxLength: 4 }),
    }),
  },
  fc.record({ kind: fc.constantFrom('clear', 'prime', 'primeError'), key }),
  fc.record({ kind: fc.constant('clearAll' as const) }),
);
const plan: fc.Arbitrary<Plan> = fc.record({
  steps: fc.array(step, { maxLength: 25 }),
  options: fc.record(
    {
      maxBatchSize: fc.integer({ min: 1, max: 4 }),
      batch: fc.boolean(),
      cache: fc.boolean(),
      cacheKeyFn: fc.constant((each: number) => each % 5),
    },
    { requiredKeys: [] },
  ),
  broken: fc.uniqueArray(key, { maxLength: 2 }),
});

/** What the program of a plan sees: the batches in their order, and the outcome of each call. */
async function run(DataLoader: typeof Npm, { steps, options, broken }: Plan, follow: boolean) {
  const batches: number[][] = [];
  const loader = new DataLoader<number, string>(async (keys) => {
    batches.push([...keys]);
    if (broken.includes(Math.min(...keys))) throw new Error(`broken ${batches.length}`);
    // The sixth key fails alone; a value tells which batch it came with.
    return keys.map((each) =>
      each === 6 ? new Error(`six ${batches.length}`) : `${each} of ${batches.length}`,
    );
  }, options);
  const outcomes: Promise<unknown>[] = [];
  for (const each of steps) {
    if (each.kind === 'load') {
      const loaded = loader.load(each.key);
      const next = (value: string): Promise<string[]> =>
        loader.load((each.key % 6) + 1).then((then) => [value, then]);
      outcomes.push((follow ? loaded.then(next) : loaded).catch(String));
    } else if (each.kind === 'loadMany') outcomes.push(loader.loadMany(each.keys).then(String));
    else if (each.kind === 'clear') loader.clear(each.key);
    else if (each.kind === 'prime') loader.prime(each.key, 'primed');
    else if (each.kind === 'primeError') loader.prime(each.key, new Error('primed'));
    else if (each.kind === 'clearAll') loader.clearAll();
    else await new Promise((resolve) => setImmediate(resolve));
  }
  return { batches, outcomes: await Promise.all(outcomes) };
}

test('random programs see the same batches and outcomes as with npm’s dataloader', async () => {
  await fc.assert(
    fc.asyncProperty(plan, async (each) => {
      const own = await run(Own as unknown as typeof Npm, each, false);
      expect(own).toEqual(await run(Npm, each, false));
    }),
    { numRuns: RUNS },
  );
});

// One batch at a time: which of two under way is answered first is a matter of single promise jobs.
test('what random programs ask for next makes the same batches as with npm’s dataloader', async () => {
  await fc.assert(
    fc.asyncProperty(plan, async ({ options: { batch, maxBatchSize, ...options }, ...each }) => {
      const own = await run(Own as unknown as typeof Npm, { ...each, options }, true);
      expect(own).toEqual(await run(Npm, { ...each, options }, true));
    }),
    { numRuns: RUNS },
  );
});
