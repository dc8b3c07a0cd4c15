// Ways to guard the same calls: nothing, a guard, and libraries as their users compose them. `prove` shows that each does what its row has.
import assert from 'node:assert/strict';
import type { IDefaultPolicyContext } from 'cockatiel';
import * as cockatiel4 from 'cockatiel';
import * as cockatiel3 from 'cockatiel-3';
import CircuitBreaker from 'opossum';
import pLimit from 'p-limit';
import pRetry from 'p-retry';
import pThrottle from 'p-throttle';
import { type Attempt, createGuard, type GuardOptions } from '../src/index.ts';

/** Call of an upstream, and the signal that ends it. */
export type Call = (signal?: AbortSignal) => Promise<string>;
/** Makes a call once. */
export type Run = () => Promise<string>;
type Part = 'circuit' | 'retry' | 'limit' | 'timeout';

/** One way to guard calls. */
export interface Contender {
  readonly name: string;
  /** Parts that it has, which are proved. */
  readonly parts: readonly Part[];
  /** Returns a function that makes a call guarded; each has a state of its own. */
  create(bounds: Bounds, call: Call): Run;
}

/** Bounds of a contender's parts. Calls that are measured reach none of them. */
export interface Bounds {
  readonly limit: number;
  readonly timeoutMs: number;
  readonly maxAttempts: number;
}

const WIDE: Bounds = { limit: 1000, timeoutMs: 60_000, maxAttempts: 2 };
const ALL = ['circuit', 'retry', 'limit', 'timeout'] as const;
const MANY = { perSecond: 1e6, burst: 1e6 };

type PartOptions = (bounds: Bounds) => Omit<GuardOptions, 'name'>;

/** Returns a guard whose calls pass their signal on, and one whose calls do not: a signal is made when it is read. */
function guards(
  name: string,
  parts: readonly Part[],
  options: PartOptions,
): readonly [Contender, Contender] {
  const create = (bounds: Bounds) => createGuard({ name: 'bench', ...options(bounds) });
  return [
    {
      name: `guard: ${name}`,
      parts,
      create(bounds, call) {
        const guard = create(bounds);
        const attempt = ({ signal }: Attempt): Promise<string> => call(signal);
        return () => guard.run(attempt);
      },
    },
    {
      name: `guard: ${name}, signal not read`,
      parts,
      create(bounds, call) {
        const guard = create(bounds);
        const attempt = (): Promise<string> => call();
        return () => guard.run(attempt);
      },
    },
  ];
}

type Cockatiel = typeof cockatiel4;

function breakerOf({ circuitBreaker, handleAll, CountBreaker }: Cockatiel) {
  const breaker = new CountBreaker({ threshold: 0.49, size: 50, minimumNumberOfCalls: 10 });
  return circuitBreaker(handleAll, { halfOpenAfter: 60_000, breaker });
}

function cockatiels(version: string, library: Cockatiel): readonly Contender[] {
  const { bulkhead, ConstantBackoff, handleAll, retry, TimeoutStrategy, timeout, wrap } = library;
  return [
    {
      name: `cockatiel ${version}: breaker`,
      parts: ['circuit'],
      create(_bounds, call) {
        const breaker = breakerOf(library);
        const attempt = ({ signal }: IDefaultPolicyContext): Promise<string> => call(signal);
        return () => breaker.execute(attempt);
      },
    },
    {
      name: `cockatiel ${version}: retry, breaker, bulkhead, timeout by \`wrap\``,
      parts: ALL,
      create({ limit, timeoutMs, maxAttempts }, call) {
        const four = wrap(
          retry(handleAll, { maxAttempts: maxAttempts - 1, backoff: new ConstantBackoff(1) }),
          breakerOf(library),
          bulkhead(limit, 0),
          timeout(timeoutMs, TimeoutStrategy.Aggressive),
        );
        const attempt = ({ signal }: IDefaultPolicyContext): Promise<string> => call(signal);
        return () => four.execute(attempt);
      },
    },
  ];
}

const retries = (maxAttempts: number) => ({ retries: maxAttempts - 1, minTimeout: 1 });

export const contenders: readonly Contender[] = [
  { name: 'bare call', parts: [], create: (_bounds, call) => call },
  ...guards('all parts', ALL, ({ limit, timeoutMs, maxAttempts }) => ({
    rate: MANY,
    concurrency: { adaptive: { initial: limit, min: limit, max: limit } },
    circuit: {},
    retry: { maxAttempts, baseMs: 1 },
    hedge: {},
    attemptTimeoutMs: timeoutMs,
  })),
  ...guards('retry, circuit, limit, timeout', ALL, ({ limit, timeoutMs, maxAttempts }) => ({
    concurrency: { limit },
    circuit: {},
    retry: { maxAttempts, baseMs: 1 },
    attemptTimeoutMs: timeoutMs,
  })),
  ...guards('circuit', ['circuit'], () => ({ circuit: {} })),
  ...cockatiels('4', cockatiel4),
  // Its types differ in parts that are not used here.
  ...cockatiels('3', cockatiel3 as unknown as Cockatiel),
  {
    name: 'opossum: breaker, capacity, timeout',
    parts: ['circuit', 'limit', 'timeout'],
    create({ limit, timeoutMs }, call) {
      const breaker = new CircuitBreaker(() => call(), {
        capacity: limit,
        timeout: timeoutMs,
        volumeThreshold: 10,
        errorThresholdPercentage: 49,
        resetTimeout: 60_000,
      });
      breakers.add(breaker);
      return () => breaker.fire();
    },
  },
  {
    name: 'p-retry',
    parts: ['retry'],
    create({ maxAttempts }, call) {
      const attempt = (): Promise<string> => call();
      const options = retries(maxAttempts);
      return () => pRetry(attempt, options);
    },
  },
  {
    name: 'p-retry in p-limit and p-throttle',
    parts: ['retry'],
    create({ limit, maxAttempts }, call) {
      const attempt = (): Promise<string> => call();
      const options = retries(maxAttempts);
      const retried = (): Promise<string> => pRetry(attempt, options);
      const limited = pLimit(limit);
      return pThrottle({ limit: 1e6, interval: 1000 })(() => limited(retried));
    },
  },
];

/** Breakers that have a timer each until they are shut down. */
const breakers = new Set<CircuitBreaker>();
export function shutDown(): void {
  for (const breaker of breakers) breaker.shutdown();
}

/** Creates a contender for calls that reach no bound. */
export function createWide(contender: Contender, call: Call): Run {
  return contender.create(WIDE, call);
}

const failing = (): Promise<string> => Promise.reject(new Error('The upstream fails'));

/**
 * Shows that a contender answers as the bare call does, and that each of its parts works.
 *
 * @throws AssertionError
 */
export async function prove({ name, parts, create }: Contender): Promise<void> {
  const once = { ...WIDE, maxAttempts: 1 };
  assert.equal(await create(WIDE, async () => 'found')(), 'found', name);
  await assert.rejects(create(once, failing)(), /The upstream fails/, name);
  const proofs: Record<Part, () => Promise<void>> = {
    async circuit() {
      let calls = 0;
      const run = create(once, () => {
        calls += 1;
        return failing();
      });
      for (let call = 0; call < 40; call += 1) await run().catch(() => {});
      assert.ok(calls >= 10 && calls <= 20, `${name} let ${calls} of 40 calls through`);
    },
    async retry() {
      let calls = 0;
      const run = create(WIDE, () => {
        calls += 1;
        return calls === 1 ? failing() : Promise.resolve('found');
      });
      assert.deepEqual([await run(), calls], ['found', 2], name);
    },
    async limit() {
      // One attempt, because retries of cockatiel try again what its bulkhead has refused.
      const run = create({ ...once, limit: 2 }, () => {
        return new Promise((resolve) => setImmediate(resolve, 'found'));
      });
      const outcomes = await Promise.allSettled([run(), run(), run()]);
      const states = outcomes.map(({ status }) => status);
      assert.deepEqual(states, ['fulfilled', 'fulfilled', 'rejected'], name);
    },
    async timeout() {
      const run = create({ ...once, timeoutMs: 5 }, () => new Promise(() => {}));
      await assert.rejects(run(), name);
    },
  };
  for (const part of parts) await proofs[part]();
}
