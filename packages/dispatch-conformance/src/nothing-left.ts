import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import type { Dispatcher } from '@ticketing/dispatch';
import { turns, until } from '@ticketing/test-kit';
import type { ConformanceTasks } from './conformance-task-map.ts';

const LOOK_AGAIN_MS = 3;

/** Handles and requests that keep this process alive, by type. */
export function countResources(): ReadonlyMap<string, number> {
  // Made when they are first looked at, which a thread's start does: they are no leak.
  for (const stream of [process.stdout, process.stderr]) void stream.writable;
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo()) {
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return counts;
}

/** @throws Error if there are more than there were, `withinMs` after what was closed */
export async function assertNoMoreResources(
  before: ReadonlyMap<string, number>,
  withinMs: number,
): Promise<void> {
  const added = (): string[] =>
    [...countResources()].flatMap(([type, count]) => {
      const more = count - (before.get(type) ?? 0);
      return more > 0 ? [`${more} ${type}`] : [];
    });
  // An immediate is none of the resources that are counted: most that is closed is gone after some.
  await turns();
  for (const end = performance.now() + withinMs; added().length > 0; ) {
    const left = added().join(', ');
    if (performance.now() > end) {
      throw new Error(`Cannot leave this process as it was: no handle expected, got ${left}`);
    }
    await new Promise<void>((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    // Its own timer is one until its turn is over.
    await turns(1);
  }
}

/** @throws Error if a process lives after `withinMs`; it is ended then */
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

/** @throws AssertionError if a signal still has a listener */
export function assertNoListeners(signals: Iterable<AbortSignal>): void {
  for (const signal of signals) {
    const { length } = getEventListeners(signal, 'abort');
    assert.equal(length, 0, `no listener left on a signal expected, got ${length}`);
  }
}

/** @throws AssertionError if a closed dispatcher has workers or calls, or calls that it did not count */
export function assertAtRest(dispatcher: Dispatcher<ConformanceTasks>): void {
  const { asked, completed, failed, aborted, rejected, queued, running, ...rest } =
    dispatcher.stats();
  assert.equal(dispatcher.state, 'closed', 'the state after close()');
  assert.equal(rest.workers.length, 0, 'workers after close()');
  assert.equal(queued + running, 0, 'calls after close()');
  const settled = completed + failed + aborted + rejected;
  assert.equal(asked, settled, 'calls asked, and calls completed, failed, aborted or rejected');
}
