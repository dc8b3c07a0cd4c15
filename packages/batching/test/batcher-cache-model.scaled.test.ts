import { type BatchContext, type BatcherOptions, createBatcher } from '@ticketing/batching';
import { scaled } from '@ticketing/test-kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';

/** What the rest of the batcher does must not depend on who owns the Map that keeps the answers. */
type Step =
  | {
      readonly kind: 'load' | 'loadToLeave' | 'forget' | 'prime' | 'primeError';
      readonly key: number;
    }
  | { readonly kind: 'leave' | 'settle' | 'breakDown'; readonly which: number }
  | { readonly kind: 'clear' | 'flush' | 'wait' | 'dispatch' };

interface Plan {
  readonly steps: readonly Step[];
  readonly options: Pick<BatcherOptions<number, string>, 'maxBatchSize' | 'concurrency' | 'key'>;
  readonly schedule: 'tick' | 'at once' | 'by hand';
}

const key = fc.integer({ min: 1, max: 5 });
const which = fc.nat(5);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('load' as const), key }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('loadToLeave' as const), key }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('forget' as const), key }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('wait', 'dispatch', 'flush') }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constantFrom('leave', 'settle', 'breakDown'), which }),
  },
  fc.record({ kind: fc.constantFrom('prime', 'primeError'), key }),
  fc.record({ kind: fc.constant('clear' as const) }),
);
const plan: fc.Arbitrary<Plan> = fc.record({
  steps: fc.array(step, { maxLength: 40 }),
  options: fc.record(
    {
      maxBatchSize: fc.integer({ min: 1, max: 4 }),
      concurrency: fc.integer({ min: 1, max: 2 }),
      key: fc.constant((asked: number) => `stop ${asked}`),
    },
    { requiredKeys: [] },
  ),
  schedule: fc.constantFrom('tick', 'at once', 'by hand'),
});

/** Follows a plan, and returns all that can be seen of it. */
async function follow(
  { steps, options, schedule }: Plan,
  cache: BatcherOptions<number, string>['cache'],
) {
  const seen: unknown[] = [];
  const under: { answer(): void; breakDown(): void }[] = [];
  const scheduled: (() => void)[] = [];
  const bySchedule = (dispatch: () => void) => {
    if (schedule === 'at once') dispatch();
    else scheduled.push(dispatch);
  };
  const load = (keys: readonly number[], context: BatchContext) => {
    const names = [...keys];
    seen.push(['batch', names]);
    context.signal.addEventListener('abort', () => seen.push(['aborted', names]));
    // A loader may change its list of keys.
    (keys as number[]).fill(0);
    return new Promise<(string | Error)[]>((resolve, reject) => {
      under.push({
        answer: () => resolve(names.map((name) => (name === 3 ? new Error('three') : `${name}`))),
        breakDown: () => reject(new Error('broken')),
      });
    });
  };
  const batcher = createBatcher(load, {
    ...options,
    name: 'stops',
    cache,
    schedule: schedule === 'tick' ? 'tick' : bySchedule,
  });
  const promises: Promise<unknown>[] = [];
  const callers: AbortController[] = [];
  const note = (promise: Promise<string>): number => {
    const place = promises.push(promise) - 1;
    const settled = (outcome: string) => seen.push([place, outcome]);
    promise.then(settled, ({ message }) => settled(message));
    // Whose promise it is.
    return promises.indexOf(promise);
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const take = (next: Step): unknown => {
    switch (next.kind) {
      case 'load':
        return note(batcher.load(next.key));
      case 'loadToLeave': {
        const caller = new AbortController();
        callers.push(caller);
        return note(batcher.load(next.key, { signal: caller.signal }));
      }
      case 'leave':
        return callers[next.which]?.abort(new Error('left'));
      case 'settle':
        return under.splice(next.which % Math.max(1, under.length), 1)[0]?.answer();
      case 'breakDown':
        return under.splice(next.which % Math.max(1, under.length), 1)[0]?.breakDown();
      case 'forget':
        return batcher.forget(next.key);
      case 'prime':
        return batcher.prime(next.key, 'primed');
      case 'primeError':
        return batcher.prime(next.key, new Error('primed'));
      case 'dispatch':
        return scheduled.shift()?.();
      case 'wait':
        return undefined;
      default:
        return batcher[next.kind]();
    }
  };
  for (const next of steps) {
    seen.push([next.kind, take(next), batcher.stats()]);
    if (next.kind === 'wait') await turn();
  }
  batcher.flush();
  await turn();
  while (under.length > 0) {
    under.shift()?.answer();
    await turn();
  }
  for (const known of [1, 2, 3, 4, 5]) seen.push(['kept', batcher.forget(known)]);
  seen.push(batcher.stats());
  return seen;
}

test('a cache of the batcher behaves as a Map of the caller', async () => {
  await fc.assert(
    fc.asyncProperty(plan, async (steps) => {
      expect(await follow(steps, true)).toEqual(await follow(steps, new Map()));
    }),
    { numRuns: scaled({ fast: 150, full: 600 }) },
  );
});
