import type { ExtraFrame, FromWorker, Transport, Unsent } from '../../contract/transport.ts';
import { DispatchError } from '../../errors.ts';
import type { Call, LateBy } from '../calls/call.ts';
import { notCloneable } from '../calls/call-errors.ts';
import type { Ending } from '../kernel-counts.ts';
import type { ResolvedPoolOptions } from '../resolve-pool-options.ts';
import type { PoolWorker } from './pool-worker.ts';
import type { Upkeep } from './upkeep.ts';
import type { CallsContext } from './worker-losses.ts';

type Frame<K extends FromWorker['kind']> = Extract<FromWorker, { readonly kind: K }>;

interface FramesContext extends CallsContext {
  readonly transport: Transport;
  readonly upkeep: Upkeep;
  /** The worker reports that it can run tasks. */
  started(worker: PoolWorker): void;
  /** The worker has nothing more to do with the call. */
  free(worker: PoolWorker, call: Call): void;
  /** The call's time passed before it was started. */
  late(call: Call, limit: LateBy): void;
  /** Answers the caller, and has the worker stop the task. */
  giveUp(call: Call, error: unknown, ending: Ending): void;
  /** A worker behind this one had the call, and ended. */
  lost(worker: PoolWorker, call: Call, error: unknown): void;
}

/** Applies frames from workers. Ignores frames of settled calls. */
export class WorkerFrames {
  /** The tasks of the worker that started last. */
  tasks: ReadonlySet<string> | undefined;
  readonly #context: FramesContext;
  readonly #options: ResolvedPoolOptions;
  readonly #extra: ReadonlySet<ExtraFrame['kind']>;

  constructor(context: FramesContext, options: ResolvedPoolOptions) {
    this.#context = context;
    this.#extra = new Set(context.transport.extraFrames);
    this.#options = options;
  }

  /** `now`: when the frame came, by the pool's clock. */
  read(worker: PoolWorker, frame: FromWorker, now: number): void {
    switch (frame.kind) {
      case 'done':
      case 'failed':
        this.#answered(worker, frame, now);
        break;
      case 'lost':
        if (!this.#extra.has(frame.kind)) break;
        this.#lost(worker, worker.calls.get(frame.seq), frame.error);
        break;
      case 'dropped':
        this.#dropped(worker, worker.calls.get(frame.seq));
        break;
      case 'busy':
        if (!this.#extra.has(frame.kind)) break;
        this.#busy(worker, worker.calls.get(frame.seq));
        break;
      case 'room':
        if (!this.#extra.has(frame.kind)) break;
        worker.isBusy = false;
        worker.most = Math.max(1, Math.floor(frame.window) || 1);
        worker.mostEver = Math.max(worker.mostEver, worker.most);
        break;
      case 'keys-only':
        if (!this.#extra.has(frame.kind)) break;
        worker.keysOnly = frame.on;
        break;
      case 'started': {
        const call = worker.calls.get(frame.seq);
        if (call?.state === 'sent') this.#context.timers.started(call);
        break;
      }
      case 'progress':
        this.#progress(worker.calls.get(frame.seq), frame.data);
        break;
      case 'item': {
        const call = worker.calls.get(frame.seq);
        if (call?.state === 'sent') call.items?.item(frame.value);
        break;
      }
      case 'load':
        this.#loaded(worker, frame, now);
        break;
      case 'report':
        if (!this.#extra.has(frame.kind)) break;
        worker.report = frame.data;
        if (frame.worked) this.#proved(worker);
        break;
      case 'module-report':
        worker.moduleReport = frame.data;
        break;
      case 'recycle':
        worker.asksRecycle = true;
        this.#context.upkeep.recycle(worker);
        break;
      case 'ready':
        // Once: it would change the tasks of all workers.
        if (worker.state !== 'starting' || worker.hasStarted) break;
        worker.hasStarted = true;
        this.tasks = new Set(frame.tasks);
        if (frame.jsonTasks?.length) worker.jsonTasks = new Set(frame.jsonTasks);
        this.#context.started(worker);
        break;
      case 'start-failed':
        // It says more than that it was too late.
        worker.startError = { error: frame.error, final: frame.final };
        break;
      case 'healthy':
        worker.asked = undefined;
        worker.isOverdue = false;
        if ('error' in frame) this.#context.upkeep.recycle(worker);
        break;
    }
  }

  /** Fails the calls whose input could not be sent. */
  unsent(worker: PoolWorker, unsent: readonly Unsent[]): void {
    for (const { seq, error } of unsent) {
      const call = worker.calls.get(seq);
      if (call === undefined) continue;
      this.#context.free(worker, call);
      if (call.state !== 'sent') continue;
      const { name } = this.#options;
      const reason = DispatchError.is(error) ? error : notCloneable(name, call.task, error);
      this.#context.settle(call, 'failed', reason);
    }
  }

  #answered(worker: PoolWorker, frame: Frame<'done' | 'failed'>, now: number): void {
    const call = worker.calls.get(frame.seq);
    if (call === undefined) return;
    const { runMs } = frame;
    const { upkeep } = this.#context;
    this.#context.free(worker, call);
    worker.done += 1;
    worker.doneSinceLoad += 1;
    worker.runMsSinceLoad += runMs;
    this.#proved(worker);
    if (call.state === 'sent') {
      const { counts } = call;
      counts.run.record(runMs);
      if (call.trace !== undefined) call.trace.runMs = runMs;
      const heldMs = now - call.sentAt;
      worker.pace?.record(runMs, now);
      counts.transport.record(heldMs - runMs);
      this.#context.feeder.departures.answered(call.task, Math.max(heldMs, runMs));
      const signal = call.options?.signal;
      // It may not have been noticed yet.
      if (signal?.aborted) this.#context.settle(call, 'aborted', signal.reason);
      else if (frame.kind === 'done') this.#context.settle(call, 'completed', frame.value);
      else this.#context.settle(call, 'failed', frame.error);
    }
    upkeep.answered(worker);
  }

  #proved(worker: PoolWorker): void {
    // What it does as a part of its start proves nothing.
    if (worker.proved || worker.state === 'starting') return;
    worker.proved = true;
    this.#context.pool.proved();
  }

  #dropped(worker: PoolWorker, call: Call | undefined): void {
    if (call === undefined) return;
    this.#context.free(worker, call);
    if (call.state !== 'sent') return;
    // A worker drops calls past their deadline, and, when it stops, calls that other workers can run.
    if (call.deadline !== undefined && Date.now() >= call.deadline) {
      this.#context.late(call, { code: 'ERR_TIMEOUT', limit: call.options?.timeoutMs ?? 0 });
    } else this.#context.feeder.putBack(call);
    this.#context.feeder.pumpAll();
    this.#context.pool.fill();
  }

  #lost(worker: PoolWorker, call: Call | undefined, error: unknown): void {
    if (call === undefined) return;
    const { free, lost, feeder, pool } = this.#context;
    free(worker, call);
    if (call.state !== 'sent') return;
    lost(worker, call, error);
    feeder.pumpAll();
    pool.fill();
  }

  /** The worker had no room for the call: others may. */
  #busy(worker: PoolWorker, call: Call | undefined): void {
    const { feeder, pool } = this.#context;
    worker.isBusy = true;
    const unsent = worker.takeBackAll();
    if (call !== undefined) this.#context.free(worker, call);
    if (call?.state === 'sent') {
      call.counts.returned += 1;
      // Its timer may have fired while it was at the worker, which could have begun it.
      const limit = call.lateBy(this.#options.clock.now());
      if (limit === undefined) feeder.putBack(call);
      else this.#context.late(call, limit);
    }
    for (const each of unsent) {
      this.#context.free(worker, each);
      feeder.putBack(each);
    }
    feeder.pumpAll();
    pool.fill();
  }

  #progress(call: Call | undefined, data: unknown): void {
    if (call?.state !== 'sent') return;
    const signal = call.options?.signal;
    // It may not have been noticed yet.
    if (signal?.aborted) {
      this.#context.giveUp(call, signal.reason, 'aborted');
      return;
    }
    try {
      call.onProgress?.(data);
    } catch (error) {
      this.#context.giveUp(call, error, 'failed');
    }
  }

  #loaded(worker: PoolWorker, frame: Frame<'load'>, now: number): void {
    const { elapsedMs, activeMs, memoryBytes, heapBytes } = frame;
    const { doneSinceLoad: done, runMsSinceLoad: runMs } = worker;
    const starved = worker.starved || (!worker.hasRoom && this.#context.feeder.hasFor(worker.slot));
    const bytes = worker.handle?.bytes ?? 0;
    const since = { done, runMs, bytes: bytes - worker.bytesAtLoad };
    worker.window.record({ elapsedMs, activeMs, starved, ...since });
    worker.load = { activeMs, elapsedMs, at: now };
    worker.doneSinceLoad = 0;
    worker.runMsSinceLoad = 0;
    worker.bytesAtLoad = bytes;
    worker.starved = false;
    worker.busy.elapsedMs += elapsedMs;
    worker.busy.activeMs += activeMs;
    if (memoryBytes !== undefined) worker.memoryBytes = memoryBytes;
    if (heapBytes !== undefined) worker.heapBytes = heapBytes;
  }
}
