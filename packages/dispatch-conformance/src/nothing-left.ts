import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import type { Dispatcher } from '@ticketing/dispatch';
import { turns, until } from '@ticketing/test-kit';
import type { ConformanceTasks } from './conformance-task-map.ts';

const LOOK_AGAIN_MS = 3;

/** Counts the handles and requests that keep this process alive, by type. */
export function countResources(): ReadonlyMap<string, number> {
  // The first access creates the handles of these streams, as the start of a thread does: they are no leak.
  for (const stream of [process.stdout, process.stderr]) void stream.writable;
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo()) {
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return counts;
}

/** Resolves when no resource is left that was not there before. @throws Error if one is left after `withinMs` */
export async function assertNoMoreResources(
  before: ReadonlyMap<string, number>,
  withinMs: number,
): Promise<void> {
  const added = (): string[] =>
    [...countResources()].flatMap(([type, count]) => {
      const more = count - (before.get(type) ?? 0);
      return more > 0 ? [`${more} ${type}`] : [];
    });
  // Immediates are not counted: most closed resources are gone after a few of them.
  await turns();
  for (const end = performance.now() + withinMs; added().length > 0; ) {
    const left = added().join(', ');
    if (performance.now() > end) {
      throw new Error(`Cannot pass the case: it must leave no handle, got ${left}`);
    }
    await new Promise<void>((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    // The timer of this wait counts until its turn is over.
    await turns(1);
  }
}

/** Resolves when the processes are gone. @throws Error if one lives after `withinMs`; then it is killed */
export async function assertGone(pids: Iterable<number>, withinMs: number): Promise<void> {
  for (const pid of pids) {
    try {
      await until(() => !isAlive(pid), `the end of worker ${pid}`, withinMs);
    } catch (error) {
      if (isAlive(pid)) process.kill(pid, 'SIGKILL');
      throw error;
    }
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Asserts that no signal has a listener. @throws AssertionError */
export function assertNoListeners(signals: Iterable<AbortSignal>): void {
  for (const signal of signals) {
    const { length } = getEventListeners(signal, 'abort');
    assert.equal(length, 0, `a case must leave no listener on a signal, got ${length}`);
  }
}

/** Asserts that a closed dispatcher has no workers and no calls, and has counted each call. @throws AssertionError */
export function assertAtRest(dispatcher: Dispatcher<ConformanceTasks>): void {
  const { asked, completed, failed, aborted, rejected, queued, running, ...rest } =
    dispatcher.stats();
  assert.equal(dispatcher.state, 'closed', 'the state after close()');
  assert.equal(rest.workers.length, 0, 'workers after close()');
  assert.equal(queued + running, 0, 'calls after close()');
  const settled = completed + failed + aborted + rejected;
  assert.equal(asked, settled, 'calls asked, and calls completed, failed, aborted or rejected');
}

/** Recorder of uncaught errors. */
export interface Strays {
  /** Stops recording. @throws the first uncaught error */
  stop(): void;
}

/** Listens for errors that would have ended this process, and for warnings about too many listeners. */
export function listenForStrays(): Strays {
  const heard: { readonly event: string; readonly what: unknown }[] = [];
  const uncaught = (what: unknown): void => void heard.push({ event: 'uncaughtException', what });
  const unhandled = (what: unknown): void => void heard.push({ event: 'unhandledRejection', what });
  const warned = (what: Error): void => {
    if (what.name === 'MaxListenersExceededWarning') heard.push({ event: 'warning', what });
  };
  process.on('uncaughtException', uncaught);
  process.on('unhandledRejection', unhandled);
  process.on('warning', warned);
  return {
    stop() {
      process.off('uncaughtException', uncaught);
      process.off('unhandledRejection', unhandled);
      process.off('warning', warned);
      const first = heard[0];
      if (first === undefined) return;
      const { event, what } = first;
      throw new Error(`Cannot pass the case: the dispatcher caused ${event}: ${what}`, {
        cause: what,
      });
    },
  };
}

/** Settles with the promise, or rejects after the time limit with the name of the awaited event. */
export async function within<T>(ms: number, what: () => string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`Cannot go on: ${what()} did not come within ${ms} ms`));
    }, ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
