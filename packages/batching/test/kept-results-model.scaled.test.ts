import { createManualClock, scaled } from '@ticketing/test-kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCoalescer } from '../src/index.ts';
import { settleJobs } from './held-loads.ts';

const RUNS = scaled({ fast: 200, full: 20_000 });
const MAX_ENTRIES = 3;
const MAX_BYTES = 10;
const ERROR_TTL_MS = 4;

/** A value as the loader makes it: how long it is fresh and stale, and its size; `NaN` is no size. */
interface Value {
  readonly number: number;
  readonly ttlMs: number;
  readonly staleMs: number;
  readonly size: number;
}
type Outcome = Value | { readonly error: number };

type Step =
  | { readonly kind: 'get' | 'renew' | 'fresh' | 'forget' | 'peek'; readonly key: number }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'clear' };

interface Kept {
  readonly outcome: Outcome;
  readonly freshUntil: number;
  readonly staleUntil: number;
  readonly renewFrom: number;
}

const key = fc.integer({ min: 0, max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('get' as const), key }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('renew', 'fresh', 'forget', 'peek'), key }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(12) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const) }) },
);
const outcome = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      ttlMs: fc.nat(10),
      staleMs: fc.nat(10),
      size: fc.oneof(fc.nat(6), fc.constantFrom(0.5, MAX_BYTES, MAX_BYTES + 1, Number.NaN, -1)),
    }),
  },
  { weight: 2, arbitrary: fc.constant('error' as const) },
);

/** Runs steps against a coalescer whose loads end at once, and against a list of what is to be kept, the least recently used first. */
async function follow(
  steps: readonly Step[],
  outcomes: readonly (Omit<Value, 'number'> | 'error')[],
): Promise<void> {
  const clock = createManualClock();
  let loads = 0;
  const outcomeOf = (load: number): Outcome => {
    const made = outcomes[load % outcomes.length];
    return made === undefined || made === 'error' ? { error: load } : { ...made, number: load };
  };
  const coalescer = createCoalescer<number, Value>(
    async () => {
      const made = outcomeOf(loads);
      loads += 1;
      if ('error' in made) throw made.error;
      return made;
    },
    {
      name: 'model',
      clock,
      ttlMs: ({ ttlMs }) => ttlMs,
      staleMs: ({ staleMs }) => staleMs,
      errorTtlMs: ERROR_TTL_MS,
      maxEntries: MAX_ENTRIES,
      maxBytes: MAX_BYTES,
      sizeOf: ({ size }) => size,
    },
  );

  let expectedLoads = 0;
  const kept = new Map<number, Kept>();
  const sizeOf = ({ outcome: of }: Kept): number => ('error' in of ? 0 : Math.ceil(of.size));
  const bytes = (): number => [...kept.values()].reduce((sum, one) => sum + sizeOf(one), 0);
  const live = (id: number): Kept | undefined => {
    const found = kept.get(id);
    if (found !== undefined && clock.now() >= found.staleUntil) kept.delete(id);
    return kept.get(id);
  };
  const put = (id: number, one: Kept): void => {
    kept.delete(id);
    kept.set(id, one);
    while (kept.size > MAX_ENTRIES || bytes() > MAX_BYTES) kept.delete([...kept.keys()][0] ?? -1);
  };
  const load = (id: number): Outcome => {
    const made = outcomeOf(expectedLoads);
    expectedLoads += 1;
    const now = clock.now();
    if ('error' in made) {
      const before = live(id);
      const until = now + ERROR_TTL_MS;
      // A stale value stays, where it is.
      if (before !== undefined && !('error' in before.outcome)) {
        kept.set(id, { ...before, renewFrom: until });
      } else put(id, { outcome: made, freshUntil: until, staleUntil: until, renewFrom: 0 });
      return made;
    }
    const { ttlMs, staleMs, size } = made;
    if (ttlMs > 0 && size >= 0 && Math.ceil(size) <= MAX_BYTES) {
      const freshUntil = now + ttlMs;
      put(id, { outcome: made, freshUntil, staleUntil: freshUntil + staleMs, renewFrom: 0 });
    } else kept.delete(id);
    return made;
  };
  const get = (id: number): Outcome => {
    const found = live(id);
    if (found === undefined) return load(id);
    kept.delete(id);
    kept.set(id, found);
    const isStale = clock.now() >= found.freshUntil;
    if (isStale && clock.now() >= found.renewFrom) load(id);
    return found.outcome;
  };

  for (const now of steps) {
    switch (now.kind) {
      case 'wait':
        clock.advance(now.ms);
        break;
      case 'clear':
        coalescer.clear();
        kept.clear();
        break;
      case 'forget':
        expect(coalescer.forget(now.key)).toBe(kept.delete(now.key));
        break;
      case 'peek': {
        const found = live(now.key);
        expect(coalescer.peek(now.key)).toEqual(
          found &&
            ('error' in found.outcome
              ? { kind: 'error', error: found.outcome.error }
              : { kind: 'value', value: found.outcome, stale: clock.now() >= found.freshUntil }),
        );
        break;
      }
      default: {
        const { kind } = now;
        if (kind === 'fresh') kept.delete(now.key);
        const expected = kind === 'get' ? get(now.key) : load(now.key);
        const options = kind === 'get' ? undefined : { [kind]: true };
        const answer = await coalescer.get(now.key, options).catch((error) => ({ error }));
        expect(answer).toEqual(expected);
        await settleJobs();
      }
    }
    expect(coalescer.stats()).toMatchObject({
      loaded: expectedLoads,
      kept: kept.size,
      keptBytes: bytes(),
      inFlight: 0,
    });
    expect(coalescer.stats().keptBytes).toBeLessThanOrEqual(MAX_BYTES);
  }
}

test('random steps keep, renew and drop what a list does, within its entries and bytes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.array(outcome, { minLength: 1, maxLength: 12 }),
      follow,
    ),
    { numRuns: RUNS },
  );
}, 600_000);
