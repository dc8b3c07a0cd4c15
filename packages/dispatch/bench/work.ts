import { pbkdf2Sync } from 'node:crypto';
import { getHeapStatistics } from 'node:v8';

/** Gives back what it got. */
export function echo<T>(value: T): T {
  return value;
}

/** Gives its input again and again, to whoever takes it. */
export async function* repeat<T>(value: T): AsyncGenerator<T> {
  for (;;) yield value;
}

/**
 * Keeps the processor busy for a number of steps, the same work wherever it runs; `stepsPerMs` tells how many take a
 * millisecond. Native code: how long a loop of JavaScript takes depends on when it is compiled, by a factor of five.
 */
export function burn(steps: number): number {
  return steps > 0 ? pbkdf2Sync('secret', 'salt', steps, 4, 'sha256').readInt32LE() : 0;
}

/** Microseconds of processor that this thread has spent. */
export function threadCpuUs(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

/** Bytes of memory that this process holds. */
export function residentBytes(): number {
  return process.memoryUsage.rss();
}

/** Bytes of memory that the heap of this thread holds. */
export function heapBytes(): number {
  return getHeapStatistics().total_heap_size;
}
