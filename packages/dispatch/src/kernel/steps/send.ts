import type { ToWorker } from '../../contract/frames.ts';
import type { Unsent } from '../../contract/transport.ts';
import { nextTick } from '../../soon.ts';
import type { PoolWorker } from '../state/call.ts';
import type { PoolState } from '../state/pool-state.ts';

/** Longest wait of a frame for others within one turn of the event loop. */
const MAX_UNSENT_MS = 1;
const microtask = Promise.resolve();
const NONE: readonly Unsent[] = [];

/** Adds a frame to the next message of a worker. */
export function post(pool: PoolState, worker: PoolWorker, frame: ToWorker, now: number): void {
  worker.outbox.post(frame, now);
  sendSoon(pool, worker, now);
}

/**
 * Sends after the microtasks of this turn: calls made until then go in the same message. Workers in this thread get frames in a
 * microtask, after the code that is on the stack now.
 */
export function sendSoon(pool: PoolState, worker: PoolWorker, now: number): void {
  const { outbox } = worker;
  if (outbox.waitedMs(now) > MAX_UNSENT_MS) {
    flush(pool, worker);
    return;
  }
  const { unsent } = pool;
  if (!outbox.isToBeSent) unsent.workers.push(worker);
  outbox.isToBeSent = true;
  if (unsent.isTicking) return;
  unsent.isTicking = true;
  unsent.tick ??= () => {
    unsent.isTicking = false;
    flushAll(pool);
  };
  if (unsent.isApart) nextTick(unsent.tick);
  else void microtask.then(unsent.tick);
}

/** Sends like {@link sendSoon}; but a worker that had no call gets it now, and begins while others are made. */
export function sendFirst(pool: PoolState, worker: PoolWorker, now: number): void {
  if (!pool.unsent.isApart || worker.calls.size > 1) {
    sendSoon(pool, worker, now);
    return;
  }
  const unsent = transmit(pool, worker);
  // Its caller has not got the promise yet.
  if (unsent.length > 0) nextTick(() => pool.emit({ kind: 'unsent', worker, unsent }));
}

/** Sends the frames of a worker now. */
export function flush(pool: PoolState, worker: PoolWorker): void {
  const unsent = transmit(pool, worker);
  if (unsent.length > 0) pool.emit({ kind: 'unsent', worker, unsent });
}

/** Sends the frames of all workers now. */
export function flushAll(pool: PoolState): void {
  const { workers } = pool.unsent;
  // A refusal makes room for more calls, which are sent here too.
  for (let worker = workers.pop(); worker !== undefined; worker = workers.pop()) {
    worker.outbox.isToBeSent = false;
    flush(pool, worker);
  }
  // Calls of a worker that ended or returned them are queued again and have no frame here.
  pool.calls.watches.sending();
  sent(pool);
}

/** Asks a worker for a sign of life. */
export function ask(pool: PoolState, worker: PoolWorker): void {
  if (worker.phase !== 'ready' && worker.phase !== 'retiring') return;
  worker.outbox.post({ kind: 'health' }, pool.options.clock.now());
  flush(pool, worker);
}

/** Sends the frames of a worker that is to stop: it polls no more. */
export function sendLast({ outbox, handle, calls }: PoolWorker): void {
  handle?.send(outbox.take(false), calls.size);
}

/** Polls for the answers of calls in flight, if that pays. */
export function expectAnswers({ polling, calls, staff }: PoolState): void {
  if (!polling.isOn) return;
  polling.expect({ calls: calls.active, streams: calls.streams, workers: staff.live.size });
}

/** Sends the frames of a worker, unless it is being killed. @returns calls whose input cannot be sent */
function transmit(pool: PoolState, worker: PoolWorker): readonly Unsent[] {
  const { outbox } = worker;
  if (outbox.isEmpty) return NONE;
  pool.calls.watches.sending();
  const unsent = hand(pool, worker);
  sent(pool);
  return unsent;
}

function hand(pool: PoolState, { outbox, handle, phase, calls }: PoolWorker): readonly Unsent[] {
  // Calls may have been given up just now, or the worker.
  if (outbox.isEmpty || handle === undefined || phase === 'killed' || phase === 'gone') return NONE;
  return handle.send(outbox.take(polls(pool)), calls.size);
}

/** Frames have been sent: an answer from this thread is on its way by now. */
function sent(pool: PoolState): void {
  pool.calls.watches.sent();
  expectAnswers(pool);
}

/** Returns true if workers must poll for their next call. */
function polls({ polling, calls, staff }: PoolState): boolean {
  if (!polling.isOn) return false;
  const { active, streams } = calls;
  return polling.polls({ calls: active, streams, workers: staff.live.size });
}
