import type { Clock } from '@ticketing/kit';
import { createManualClock, type ManualClock } from '@ticketing/test-kit';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Dispatcher, RunOptions, StreamOptions } from '../src/contract/dispatcher.ts';
import type { PoolOptions } from '../src/contract/pool-options.ts';
import { DispatchError, type DispatchErrorCode } from '../src/errors.ts';
import {
  createPool as createKernelPool,
  type Pool as KernelPool,
} from '../src/kernel/create-pool.ts';
import { slotOfKey } from '../src/kernel/policy/choose-worker.ts';
import { FakeTransport, type FakeTransportOptions } from './fake-transport.ts';

export type FakeTasks = {
  echo: (input: unknown) => unknown;
  other: (input: unknown) => unknown;
};

/** End of a call; `pending` until then. */
export interface Watched<T = unknown> {
  state: 'pending' | 'resolved' | 'rejected';
  value: T | undefined;
  error: unknown;
}

export interface Pool {
  readonly dispatcher: Dispatcher<FakeTasks>;
  readonly pool: KernelPool<FakeTasks>;
  readonly transport: FakeTransport;
  readonly clock: ManualClock;
  /** Calls `echo`. */
  run(input?: unknown, options?: RunOptions): Watched;
  /** Has the workers that were started become ready. */
  ready(): Promise<void>;
}

const made: Pool[] = [];

/** A clock as users write one: its members need their `this`. */
class MemberClock implements Clock {
  readonly #manual: ManualClock;

  constructor(manual: ManualClock) {
    this.#manual = manual;
  }

  now(): number {
    return this.#manual.now();
  }

  setTimeout(callback: () => void, ms: number): unknown {
    return this.#manual.setTimeout(callback, ms);
  }

  clearTimeout(timer: unknown): void {
    this.#manual.clearTimeout(timer);
  }
}

/** A pool over a fake transport: one worker, a window of 2, no chance. It is closed and checked after the test. */
export function createPool(
  { clock = createManualClock(), ...options }: PoolOptions & { readonly clock?: ManualClock } = {},
  transportOptions: FakeTransportOptions = {},
): Pool {
  const transport = new FakeTransport(transportOptions);
  const kernelPool = createKernelPool<FakeTasks>(transport, {
    max: 1,
    window: 2,
    random: () => 0,
    ...options,
    clock: new MemberClock(clock),
  });
  const { dispatcher } = kernelPool;
  const pool: Pool = {
    dispatcher,
    pool: kernelPool,
    transport,
    clock,
    run: (input, runOptions) => watch(dispatcher.run('echo', input, runOptions)),
    async ready() {
      for (const worker of [...transport.workers]) {
        if (!worker.isReady && !worker.hasEnded) worker.ready();
      }
      await turn();
    },
  };
  made.push(pool);
  return pool;
}

/** Streams `echo`. */
export function streamOf(
  dispatcher: unknown,
  options?: StreamOptions,
): AsyncIterableIterator<unknown, undefined> {
  const { stream } = dispatcher as Dispatcher<{ echo: (input: string) => AsyncIterable<unknown> }>;
  return stream.call(dispatcher, 'echo', 'input', options) as AsyncIterableIterator<
    unknown,
    undefined
  >;
}

/** Follows a promise, which then cannot be an unhandled rejection. */
export function watch<T>(promise: PromiseLike<T>): Watched<T> {
  const watched: Watched<T> = { state: 'pending', value: undefined, error: undefined };
  promise.then(
    (value) => Object.assign(watched, { state: 'resolved', value }),
    (error) => Object.assign(watched, { state: 'rejected', error }),
  );
  return watched;
}

/** One turn of the event loop: what was given is sent, what was settled is seen. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Returns the argument, a turn later. */
export async function settled<T>(call: T): Promise<T> {
  await turn();
  return call;
}

/** A key of each of three places, or of two. */
export function keysOf(places: 2 | 3): [string, string, string] {
  const keys = Array.from({ length: places }, (_, place) => {
    for (let index = 0; ; index++) {
      if (slotOfKey(`key ${index}`, places) === place) return `key ${index}`;
    }
  });
  return keys as [string, string, string];
}

/** Returns the error of a rejected call. */
export function errorOf(call: Watched | undefined, code: DispatchErrorCode): DispatchError {
  expect(call?.state).toBe('rejected');
  const error = call?.error;
  if (!DispatchError.is(error)) throw error;
  expect(error.code).toBe(code);
  return error;
}

/** Closes a pool whose workers do as they are told, and proves that nothing is left of it. */
async function closeAndCheck({ dispatcher, transport, clock }: Pool): Promise<void> {
  const closing = watch(dispatcher.close());
  await turn();
  for (const worker of transport.living) worker.exit({ exitCode: 0 });
  await turn();
  expect(closing.state).toBe('resolved');
  expect(transport.closes).toBe(1);
  expect(transport.violations).toEqual([]);
  expect(clock.pending).toBe(0);
  const stats = dispatcher.stats();
  expect(stats.completed + stats.failed + stats.aborted + stats.rejected).toBe(stats.asked);
  expect(stats).toMatchObject({ queued: 0, running: 0, workers: [] });
}

/** Each test of the file ends with every pool closed, nothing left, and no unhandled rejection. */
export function checkPoolsAfterEach(): void {
  const rejections: unknown[] = [];
  const keep = (reason: unknown): void => void rejections.push(reason);
  beforeAll(() => void process.on('unhandledRejection', keep));
  afterAll(() => void process.off('unhandledRejection', keep));
  afterEach(async () => {
    for (const pool of made.splice(0)) await closeAndCheck(pool);
    expect(rejections.splice(0)).toEqual([]);
  });
}
