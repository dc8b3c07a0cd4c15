import type { FromWorker } from '../../contract/frames.ts';
import type { ExtraFrame } from '../../contract/session-frames.ts';
import type { Unsent } from '../../contract/transport.ts';
import { DispatchError } from '../../errors.ts';
import { notCloneable } from '../errors.ts';
import type { Call, PoolWorker } from '../state/call.ts';
import { traceRun } from '../state/call-trace.ts';
import { type PoolState, touch } from '../state/pool-state.ts';
import { giveUp } from './give-up.ts';
import { loseCall } from './losses.ts';
import { redistribute, requeue } from './queue.ts';
import { heard } from './recall.ts';
import { release, settle, settleLate } from './settle.ts';
import {
  admitWorker,
  knowTasks,
  noteReported,
  noteStartError,
  proved,
  recycle,
} from './workers.ts';

type Frame<K extends FromWorker['kind']> = Extract<FromWorker, { readonly kind: K }>;

/** Applies the frames of one message, in order. */
export function readFrames(
  pool: PoolState,
  worker: PoolWorker,
  frames: readonly FromWorker[],
): void {
  pool.polling.arrived();
  worker.health.hear();
  heard(pool, worker);
  // One clock read per message: it costs as much as a small answer.
  const now = pool.options.clock.now();
  for (const frame of frames) readFrame(pool, worker, frame, now);
  pool.changes.speaker = worker;
}

/** Fails the calls whose input could not be sent. */
export function failUnsent(pool: PoolState, worker: PoolWorker, unsent: readonly Unsent[]): void {
  touch(pool, worker);
  for (const { seq, error } of unsent) {
    const call = worker.calls.get(seq);
    if (call === undefined) continue;
    release(pool, worker, call);
    if (call.state !== 'sent') continue;
    const isOurs = DispatchError.is(error);
    const reason = isOurs ? error : notCloneable(pool.options.name, call.task, error);
    settle(pool, call, 'failed', reason);
  }
}

/** Applies one frame. Ignores frames of settled calls, and extra frames that the transport has not announced. */
function readFrame(pool: PoolState, worker: PoolWorker, frame: FromWorker, now: number): void {
  const { reports } = worker;
  switch (frame.kind) {
    case 'done':
    case 'failed':
      answered(pool, worker, frame, now);
      break;
    case 'dropped':
      dropped(pool, worker, worker.calls.get(frame.seq));
      break;
    case 'started':
      started(pool, worker.calls.get(frame.seq));
      break;
    case 'progress':
      progressed(pool, worker.calls.get(frame.seq), frame.data);
      break;
    case 'item':
      itemCame(pool, worker, worker.calls.get(frame.seq), frame.value);
      break;
    case 'load': {
      const isStarved = !worker.hasRoom && pool.queue.waiting.hasFor(worker.slot);
      worker.load.record(frame, now, isStarved, worker.handle?.bytes ?? 0);
      touch(pool, worker);
      break;
    }
    case 'module-report':
      reports.moduleReport = frame.data;
      break;
    case 'recycle':
      worker.health.askRecycle();
      recycle(pool, worker);
      break;
    case 'ready':
      ready(pool, worker, frame);
      break;
    case 'start-failed':
      noteStartError(worker, { error: frame.error, final: frame.final });
      if (frame.final) pool.changes.hasLostHope = true;
      break;
    case 'healthy':
      worker.health.answer();
      if ('error' in frame) recycle(pool, worker);
      break;
    default:
      if (pool.transport.extraFrames?.includes(frame.kind)) readExtra(pool, worker, frame);
  }
}

/** Applies a frame that only sessions and clusters send. */
function readExtra(pool: PoolState, worker: PoolWorker, frame: ExtraFrame): void {
  switch (frame.kind) {
    case 'lost':
      lost(pool, worker, worker.calls.get(frame.seq), frame.error);
      break;
    case 'busy':
      busy(pool, worker, worker.calls.get(frame.seq));
      break;
    case 'room':
      worker.admission.open(frame.window);
      touch(pool, worker);
      break;
    case 'keys-only':
      worker.admission.takeKeysOnly(frame.on);
      touch(pool, worker);
      break;
    case 'report':
      worker.reports.report = frame.data;
      if (frame.worked) prove(pool, worker);
  }
}

/** The worker can run tasks: it takes calls, once it has run the broadcasts that new workers run. */
function ready(pool: PoolState, worker: PoolWorker, { tasks, jsonTasks }: Frame<'ready'>): void {
  // Once: it would change the tasks of all workers.
  if (!noteReported(worker)) return;
  knowTasks(pool, new Set(tasks));
  if (jsonTasks?.length) worker.reports.jsonTasks = new Set(jsonTasks);
  if (pool.kept.size === 0) admitWorker(pool, worker);
  else pool.changes.reported.push(worker);
}

function answered(
  pool: PoolState,
  worker: PoolWorker,
  frame: Frame<'done' | 'failed'>,
  now: number,
): void {
  const call = worker.calls.get(frame.seq);
  if (call === undefined) return;
  const { runMs } = frame;
  release(pool, worker, call);
  worker.load.answered(runMs);
  prove(pool, worker);
  if (call.state === 'sent') {
    const { counts, options } = call.asked;
    const heldMs = now - call.sentAt;
    counts.run.record(runMs);
    counts.transport.record(heldMs - runMs);
    traceRun(call, runMs);
    worker.load.pace?.record(runMs, now);
    pool.queue.departures.answered(call.task, Math.max(heldMs, runMs));
    const signal = options?.signal;
    // Its abort may not have been noticed yet.
    if (signal?.aborted) settle(pool, call, 'aborted', signal.reason);
    else if (frame.kind === 'done') settle(pool, call, 'completed', frame.value);
    else settle(pool, call, 'failed', frame.error);
  }
  if (worker.load.done >= worker.health.limits.tasks) recycle(pool, worker);
}

/** Notes that a worker works. Tasks that it runs as a part of its start prove nothing. */
function prove(pool: PoolState, worker: PoolWorker): void {
  if (worker.reports.hasProved || worker.phase === 'starting') return;
  worker.reports.hasProved = true;
  proved(pool);
}

/** The worker has not run a call: its time is over, or the worker stops, and others can run it. */
function dropped(pool: PoolState, worker: PoolWorker, call: Call | undefined): void {
  if (call === undefined) return;
  release(pool, worker, call);
  if (call.state !== 'sent') return;
  const { deadline, options } = call.asked;
  if (deadline !== undefined && Date.now() >= deadline) {
    settleLate(pool, call, { code: 'ERR_TIMEOUT', limit: options?.timeoutMs ?? 0 });
  } else requeue(pool, call);
  redistribute(pool.changes);
}

/** A worker behind this one had the call, and ended. */
function lost(pool: PoolState, worker: PoolWorker, call: Call | undefined, error: unknown): void {
  if (call === undefined) return;
  release(pool, worker, call);
  if (call.state !== 'sent') return;
  loseCall(pool, worker, call, () => error);
  redistribute(pool.changes);
}

/** The worker had no room for a call: others may. */
function busy(pool: PoolState, worker: PoolWorker, call: Call | undefined): void {
  worker.admission.close();
  // A worker that leaves closes for good.
  if (worker.health.asksRecycle) pool.changes.hasLostHope = true;
  const unsent = worker.outbox.takeBackAll();
  if (call !== undefined) release(pool, worker, call);
  if (call?.state === 'sent') {
    call.asked.counts.returned += 1;
    // Its timer may have fired while it was at the worker, which could have begun it.
    const limit = call.lateBy(pool.options.clock.now());
    if (limit === undefined) requeue(pool, call);
    else settleLate(pool, call, limit);
  }
  for (const seq of unsent) {
    const each = worker.calls.get(seq);
    if (each === undefined) continue;
    release(pool, worker, each);
    requeue(pool, each);
  }
  redistribute(pool.changes);
}

/** The worker has begun a call: its run may be limited. */
function started({ options, emit }: PoolState, call: Call | undefined): void {
  if (call?.state !== 'sent') return;
  const limit = call.options?.runTimeoutMs;
  if (limit === undefined) return;
  call.setTimer(options.clock.setTimeout(() => emit({ kind: 'run-late', call }), limit));
}

function itemCame(
  pool: PoolState,
  worker: PoolWorker,
  call: Call | undefined,
  value: unknown,
): void {
  if (call?.state !== 'sent') return;
  const { stalled } = worker.admission;
  call.items?.item(value);
  // A stream that waits for its consumer takes no room.
  if (worker.admission.stalled > stalled) touch(pool, worker);
}

function progressed(pool: PoolState, call: Call | undefined, data: unknown): void {
  if (call?.state !== 'sent') return;
  const signal = call.options?.signal;
  // Its abort may not have been noticed yet.
  if (signal?.aborted) {
    giveUp(pool, call, signal.reason, 'aborted');
    return;
  }
  try {
    call.progress(data);
  } catch (error) {
    giveUp(pool, call, error, 'failed');
  }
}
