import type { ForwardedRunOptions } from '../contract/dispatcher.ts';
import type { FromWorker, Transport } from '../contract/transport.ts';
import { nextTick } from '../soon.ts';
import { Broadcaster } from './broadcaster.ts';
import {
  Call,
  type CallOwner,
  type CallPlace,
  type LateBy,
  traceCall,
  traceSettled,
} from './calls/call.ts';
import { closed, timedOut } from './calls/call-errors.ts';
import { CallTimers } from './calls/call-timers.ts';
import { checkCall } from './calls/check-run-options.ts';
import { Feeder } from './calls/feeder.ts';
import { Recall } from './calls/recall.ts';
import { createKernelCounts, type Ending, type KernelCounts } from './kernel-counts.ts';
import { type InFlight, PolledAnswers } from './polled-answers.ts';
import type { ResolvedPoolOptions } from './resolve-pool-options.ts';
import type { PoolWorker } from './workers/pool-worker.ts';
import { ProcessHold } from './workers/process-hold.ts';
import { Sender } from './workers/sender.ts';
import { Upkeep } from './workers/upkeep.ts';
import { WorkerFrames } from './workers/worker-frames.ts';
import { WorkerLosses } from './workers/worker-losses.ts';
import { WorkerPool } from './workers/worker-pool.ts';

/** Milliseconds until a worker that may be at a breakpoint is judged again. */
const INSPECTED_RECHECK_MS = 1000;

/** The life of each call: gives calls to workers, and answers to callers. */
export class Kernel {
  readonly pool: WorkerPool;
  readonly upkeep: Upkeep;
  readonly hold: ProcessHold;
  readonly feeder: Feeder;
  readonly counts: KernelCounts = createKernelCounts();
  /** Those of broadcasts, which are no calls of anyone: they would hide how callers fare. */
  readonly broadcasts: KernelCounts = createKernelCounts();
  readonly options: ResolvedPoolOptions;
  readonly transport: Transport;
  /** Calls whose callers are waiting. */
  active = 0;
  isDraining = false;
  readonly broadcaster: Broadcaster = new Broadcaster(this);
  /** Called when there may be room for one more call. */
  onRoom: () => void = () => {};
  /** Called when the last call has settled. */
  onIdle: () => void = () => {};
  readonly #sender: Sender;
  readonly #recall: Recall;
  readonly #timers: CallTimers;
  readonly #frames: WorkerFrames;
  readonly #losses: WorkerLosses;
  readonly #answers: PolledAnswers;
  /** How many of the calls in flight are streams. */
  #streams = 0;
  readonly #onAbort = (call: Call, reason: unknown): void => this.giveUp(call, reason, 'aborted');
  #lastId = 0;

  constructor(transport: Transport, options: ResolvedPoolOptions) {
    this.transport = transport;
    this.options = options;
    this.#answers = new PolledAnswers((transport.polls ?? false) && options.busyPoll);
    this.pool = new WorkerPool(transport, options, {
      frames: (worker, frames) => this.#read(worker, frames),
      ready: (worker) => this.#ready(worker),
      retire: (worker) => this.#retire(worker),
      gone: (worker, end) => this.#losses.gone(worker, end),
      removed: (slot) => {
        this.feeder.removed(slot);
        this.feeder.rehome();
        this.onRoom();
      },
      noSuccessor: (error) => this.#losses.noSuccessor(error),
      wants: (slot) => this.feeder.wants(slot),
    });
    const { pool, counts } = this;
    this.hold = new ProcessHold(pool.live, options.clock);
    const recall = new Recall(pool, options, {
      recalled: (worker, call) => this.#recalled(worker, call),
      redistribute: () => this.#redistribute(),
    });
    const sender = new Sender(transport.capabilities.isolation !== 'none', {
      sending: () => this.#timers.sending(),
      sent: () => {
        this.#timers.sent();
        this.#answers.expect(this.#inFlight);
      },
      polls: () => this.#answers.polls(this.#inFlight),
      unsent: (worker, unsent) => {
        this.#frames.unsent(worker, unsent);
        this.#pump(worker);
      },
    });
    const timers = new CallTimers(options, {
      aborted: this.#onAbort,
      timedOut: (call, error) => this.giveUp(call, error, 'aborted'),
      whyUnbegun: (call) => this.#whyUnbegun(call),
      isKilledFor: (worker) => this.#isKilledFor(worker),
      ask: (worker) => this.upkeep.ask(worker),
      stuck: (worker, call) => this.#stuck(worker, call),
    });
    const settle = (call: Call, ending: Ending, value: unknown): void =>
      this.#settle(call, ending, value);
    // Its time passed before it was started: no worker has it.
    const late = (call: Call, { code, limit }: LateBy): void => {
      const of = { task: call.task, limit, cause: this.#whyUnbegun(call) };
      settle(call, 'aborted', timedOut(code, options.name, of));
    };
    const upkeep = new Upkeep(pool, sender, options);
    const homeOf = transport.homeOf?.bind(transport);
    const feeder = new Feeder(
      {
        ...{ pool, sender, recall, counts, late, homeOf, transport },
        refused: (call, error) => settle(call, 'rejected', error),
        aborted: (call, reason) => settle(call, 'aborted', reason),
        threw: (call, error) => nextTick(() => this.giveUp(call, error, 'failed')),
      },
      options,
    );
    const frames = {
      ...{ pool, upkeep, feeder, timers, transport, late, settle },
      started: (worker: PoolWorker) => this.broadcaster.begin(worker),
      free: (worker: PoolWorker, call: Call) => this.#free(worker, call),
      giveUp: (call: Call, error: unknown, ending: Ending) => this.giveUp(call, error, ending),
      lost: (worker: PoolWorker, call: Call, error: unknown) =>
        this.#losses.lost(worker, call, () => error),
    };
    this.#frames = new WorkerFrames(frames, options);
    this.#losses = new WorkerLosses(
      {
        ...{ pool, feeder, timers, transport, settle },
        onRoom: () => this.onRoom(),
      },
      options,
    );
    this.#recall = recall;
    this.#sender = sender;
    this.#timers = timers;
    this.upkeep = upkeep;
    this.feeder = feeder;
  }

  get tasks(): ReadonlySet<string> | undefined {
    return this.#frames.tasks;
  }

  /** Runs a task once; `place` says for whom, and where if it is a part of a broadcast. */
  run(
    task: string,
    input: unknown,
    options: ForwardedRunOptions | undefined,
    { owner, source, items, slot, only, starting }: CallPlace = {},
  ): Promise<unknown> {
    const counts = (slot ?? starting) === undefined ? this.counts : this.broadcasts;
    counts.asked += 1;
    const { name, clock } = this.options;
    const apartFrom = options?.apartFrom;
    const target = { key: options?.key, slot, apartFrom, only: starting?.workerId ?? only };
    let worker = starting;
    try {
      const { pool, tasks, isDraining } = this;
      if (starting === undefined) checkCall(task, options, { name, pool, tasks, isDraining });
      worker ??= this.feeder.workerFor(target);
      if (worker === undefined) this.feeder.admit(task, target, options);
    } catch (error) {
      counts.rejected += 1;
      return Promise.reject(error);
    }
    if (options?.signal?.aborted) {
      counts.aborted += 1;
      return Promise.reject(options.signal.reason);
    }
    const enqueuedAt = clock.now();
    return new Promise((resolve, reject) => {
      this.#lastId += 1;
      const call = new Call(
        { id: this.#lastId, task, input, options, target, counts, enqueuedAt, owner },
        { resolve, reject, onAbort: this.#onAbort },
      );
      this.active += 1;
      if (items !== undefined) {
        items.begin(call, this);
        this.#streams += 1;
      }
      owner?.accepted();
      if (!this.hold.isHeld) this.hold.set(true);
      traceCall(name, call);
      if (options !== undefined) {
        this.#timers.watch(call, options, this.active, worker !== undefined);
      }
      if (worker !== undefined) this.feeder.begin(worker, call, enqueuedAt);
      else this.feeder.wait(call);
      if (source === undefined) return;
      // It has a context of its own, so none is kept for it.
      call.onProgress = (data) => source.progress(data);
      source.whenAborted((reason) => this.#onAbort(call, reason));
    });
  }

  /** Answers the caller now, and aborts the task that its worker may have started. */
  giveUp(call: Call, error: unknown, ending: Ending): void {
    const { worker } = call;
    if (call.state === 'queued') {
      this.feeder.remove(call);
      this.#settle(call, ending, error);
      this.onRoom();
    } else if (call.state === 'sent' && worker !== undefined) {
      this.#settle(call, ending, error);
      if (worker.takeBack(call)) {
        this.#pump(worker);
        this.#stopIfDone(worker);
        return;
      }
      call.state = 'abandoned';
      const now = this.options.clock.now();
      this.#sender.post(worker, { kind: 'abort', seq: call.seq, reason: error }, now);
      // While closing, the worker as a whole has its grace to stop.
      if (!this.pool.isClosed) this.#timers.startGrace(worker, call);
    }
  }

  /** Lets the worker of a stream send more items. */
  grant({ worker, seq, state }: Call, items: number): void {
    if (state !== 'sent' || worker === undefined) return;
    this.#answers.granted();
    this.#sender.post(worker, { kind: 'credit', seq, items }, this.options.clock.now());
  }

  /** Gives up every open call, or those of an owner. */
  giveUpAll(errorOf: (task: string) => unknown, ending: Ending, owner?: CallOwner): void {
    const matches = (call: Call): boolean => owner === undefined || call.owner === owner;
    for (const call of this.feeder.drain(matches)) this.#settle(call, ending, errorOf(call.task));
    for (const { calls } of this.pool.live) {
      for (const call of [...calls].filter(matches)) {
        this.giveUp(call, errorOf(call.task), ending);
      }
    }
    this.onRoom();
  }

  start(): void {
    this.pool.fill();
    this.upkeep.start();
  }

  /** Rejects every call, and resolves when every worker and timer is gone. */
  async close(graceMs: number): Promise<void> {
    const { name } = this.options;
    this.upkeep.stop();
    this.#recall.stop();
    this.hold.close();
    this.pool.isClosed = true;
    this.giveUpAll((task) => closed(name, task), 'rejected');
    this.#sender.flushAll();
    this.#timers.close();
    this.#answers.stop();
    await this.pool.close(graceMs);
  }

  #read(worker: PoolWorker, frames: readonly FromWorker[]): void {
    this.#answers.arrived();
    worker.heard += 1;
    this.#recall.heard(worker);
    // Once for all: to ask takes as long as a small answer.
    const now = this.options.clock.now();
    for (const frame of frames) this.#frames.read(worker, frame, now);
    this.#pump(worker);
    this.#sender.flush(worker);
    this.#recall.watch(worker);
    this.#answers.expect(this.#inFlight);
  }

  #whyUnbegun({ state }: Call): unknown {
    if (state !== 'queued' || this.pool.readyCount > 0) return undefined;
    return this.transport.whyUnready?.() ?? this.pool.circuit.lastError;
  }

  get #inFlight(): InFlight {
    return { calls: this.active, streams: this.#streams, workers: this.pool.live.size };
  }

  #recalled(worker: PoolWorker, call: Call): void {
    call.counts.moved += 1;
    this.feeder.putBack(call);
    this.#free(worker, call);
  }

  #redistribute(): void {
    this.feeder.pumpAll();
    this.pool.fill();
    this.onRoom();
  }

  #stuck(worker: PoolWorker, call: Call): void {
    if (worker.isInspected) {
      this.#timers.startGrace(worker, call, INSPECTED_RECHECK_MS);
      return;
    }
    if (this.#isKilledFor(worker)) {
      if (worker.state !== 'killed') this.pool.counts.killed += 1;
      this.pool.kill(worker);
      return;
    }
    worker.isOverdue ||= worker.isServing;
    this.#free(worker, call);
    this.#pump(worker);
  }

  /** A worker that serves requests is not killed for a task: its health check decides. */
  #isKilledFor({ isServing }: PoolWorker): boolean {
    return this.transport.capabilities.hardKill && !isServing;
  }

  #ready(worker: PoolWorker): void {
    if (!this.hold.isHeld) worker.handle?.hold(false);
    else this.letGoIfIdle();
    this.feeder.rehome();
    this.#pump(worker);
    this.pool.fill();
    this.#recall.watch(worker);
  }

  #retire(worker: PoolWorker): void {
    if (worker.state !== 'ready') return;
    worker.state = 'retiring';
    this.feeder.rehome();
    this.#stopIfDone(worker);
  }

  /** The worker has nothing more to do with a call. */
  #free(worker: PoolWorker, call: Call): void {
    worker.calls.delete(call.seq);
    if (call.isStalled) call.stall(false);
    this.#timers.freed(call);
    this.#stopIfDone(worker);
  }

  /** Answers the caller. */
  #settle(call: Call, ending: Ending, value: unknown): void {
    call.state = 'settled';
    this.active -= 1;
    if (call.items !== undefined) this.#streams -= 1;
    call.counts[ending] += 1;
    call.owner?.settled(ending);
    if (call.options !== undefined) this.#timers.unwatch(call, call.options);
    if (call.trace !== undefined) traceSettled(call, { ending, value }, this.options.clock);
    call.answer(ending, value, this.transport.capabilities.isolation !== 'none');
    this.letGoIfIdle();
    if (this.active === 0) this.onIdle();
  }

  /** Workers stop keeping the process alive when no call is in flight. */
  letGoIfIdle(): void {
    if (this.active === 0) this.hold.letGoSoon(() => this.active > 0);
  }

  #pump(worker: PoolWorker): void {
    this.feeder.pump(worker);
    this.onRoom();
  }

  #stopIfDone(worker: PoolWorker): void {
    if (worker.state === 'retiring' && worker.calls.size === 0) {
      this.pool.stop(worker, this.options.stopGraceMs);
    }
  }
}
