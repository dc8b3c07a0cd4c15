import type { PoolWorker } from '../state/call.ts';
import type { PoolChanges, PoolState } from '../state/pool-state.ts';
import { fillAll, fillWorker } from './assign.ts';
import { wakeWaiters } from './capacity.ts';
import { loseHope } from './losses.ts';
import { rehome } from './queue.ts';
import { checkHeldUpSoon } from './recall.ts';
import { expectAnswers, flush } from './send.ts';
import { startMissing, stop } from './workers.ts';

/** Milliseconds that idle workers still hold the process: another call may follow at once. */
const LINGER_MS = 10;

/**
 * Does what must follow from changes, in one order, until nothing has changed: calls move, workers are filled, stopped and started,
 * frames leave, and callers that wait for room get it. Called after each event and each call; no step does any of it. An event out
 * of a listener of a caller has a pass of its own, or the pass that runs goes on with it.
 */
export function advance(pool: PoolState): void {
  const { changes } = pool;
  // A listener of a caller has made the event during a pass, which goes on with it.
  if (changes.isRunning) return;
  if (isChanged(changes)) passAll(pool);
  if (changes.speaker !== undefined) answerSpeaker(pool, changes.speaker);
  if (pool.calls.active === 0 && pool.hold.canLetGo) letGoLater(pool);
  if (pool.drains.size > 0) endDrains(pool);
  if (changes.news.length > 0) tellNews(pool);
}

/** Passes until nothing has changed. */
function passAll(pool: PoolState): void {
  const { changes } = pool;
  changes.isRunning = true;
  try {
    do pass(pool);
    while (isChanged(changes));
  } finally {
    changes.isRunning = false;
  }
}

function isChanged(changes: PoolChanges): boolean {
  return (
    changes.touched.length > 0 ||
    changes.hasReturned ||
    changes.mayStart ||
    changes.hasStaffChanged ||
    changes.hasLostHope ||
    changes.hasRoom
  );
}

function pass(pool: PoolState): void {
  const { changes, options } = pool;
  const { touched } = changes;
  changes.touched = changes.spare;
  changes.spare = touched;
  if (changes.hasStaffChanged) {
    changes.hasStaffChanged = false;
    rehome(pool);
  }
  if (changes.hasLostHope) {
    changes.hasLostHope = false;
    loseHope(pool);
  }
  if (changes.hasReturned) {
    changes.hasReturned = false;
    fillAll(pool);
  }
  for (const worker of touched) {
    fillWorker(pool, worker);
    if (worker.phase === 'retiring' && worker.calls.size === 0) {
      stop(pool, worker, options.stopGraceMs);
    }
    checkHeldUpSoon(pool, worker);
  }
  if (changes.mayStart) {
    changes.mayStart = false;
    startMissing(pool);
  }
  touched.length = 0;
  if (changes.hasRoom) {
    changes.hasRoom = false;
    if (pool.capacity.waiters.size > 0) wakeWaiters(pool);
  }
}

/** Sends a worker that has just said something its next calls now. */
function answerSpeaker(pool: PoolState, speaker: PoolWorker): void {
  pool.changes.speaker = undefined;
  flush(pool, speaker);
  checkHeldUpSoon(pool, speaker);
  expectAnswers(pool);
}

/** Lets the process end while no call is in flight, after a while. */
function letGoLater({ hold, options, emit }: PoolState): void {
  hold.letGoLater(options.clock.setTimeout(() => emit({ kind: 'linger' }), LINGER_MS));
}

function endDrains({ drains, calls }: PoolState): void {
  for (const drain of drains) {
    if ((drain.owner ?? calls).active > 0) continue;
    drains.delete(drain);
    drain.resolve();
  }
}

/** Tells observers of workers. */
function tellNews({ changes, staff }: PoolState): void {
  for (let news = changes.news.shift(); news !== undefined; news = changes.news.shift()) {
    if (news.kind === 'ready') staff.events.ready(news.worker);
    else if (news.kind === 'exit') staff.events.exit(news.worker, news.end);
    else staff.events.circuitOpen(news.error);
  }
}
