import { guardWith } from '../src/create-guard.ts';
import type { Guard, GuardOptions } from '../src/index.ts';
import { createTestClock, type TestClock } from './test-clock.ts';

/** Creates a guard on a clock that the test advances. Jitter is none, and a retry waits for its longest time, by default. */
export function testGuard(options: Omit<GuardOptions, 'name'>): { guard: Guard; clock: TestClock } {
  const clock = createTestClock();
  return { guard: guardWith({ name: 'test', random: () => 0.5, ...options }, clock), clock };
}

/** A promise that a test settles. */
export function deferred<T>(): {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
} {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((...functions) => {
    [resolve, reject] = functions;
  });
  return { promise, resolve, reject };
}

/** Returns the error of a call. */
export async function refused(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'not refused',
    (error: unknown) => error,
  );
}
