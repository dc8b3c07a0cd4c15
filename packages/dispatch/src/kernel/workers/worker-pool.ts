import { type Circuit, createCircuit } from '@ticketing/kit';
import type { FromWorker, Transport, WorkerEnd } from '../../contract/transport.ts';
import {
  circuitOpen,
  closed,
  spawnFailed,
  startedTooLate,
  workerLost,
} from '../calls/call-errors.ts';
import { startFairTimer } from '../fair-timer.ts';
import type { ResolvedPoolOptions } from '../resolve-pool-options.ts';
import { Pace } from './pace.ts';
import { PoolEvents } from './pool-events.ts';
import { PoolWorker } from './pool-worker.ts';
import { addSlots, isTaken, type Slot, startOf } from './slots.ts';
import { createWindow } from './window.ts';

/** Starts, replaces, restarts and stops workers. The kernel gives them calls. */
export class WorkerPool {
  readonly slots: Slot[] = [];
  /** Workers that are kept. */
  min: number;
  /** Every worker whose end has not been seen. */
  readonly live: Set<PoolWorker> = new Set();
  readonly counts = { spawned: 0, lost: 0, killed: 0, recycled: 0, idled: 0 };
  readonly circuit: Circuit;
  module: URL | undefined = undefined;
  everReady = false;
  isClosed = false;
  readonly events: PoolEvents;
  readonly #transport: Transport;
  readonly #options: ResolvedPoolOptions;
  readonly #callbacks: Callbacks;
  readonly #readyWaiters: { resolve(): void; reject(error: unknown): void }[] = [];
  #probeTimer: unknown;
  #lastId = 0;
  /** Some worker has started, so that one that does not is slow rather than wrong. */
  #hasStarted = false;
  /** Consecutive, over all slots. */
  #failedStarts = 0;
  #allGone: (() => void) | undefined;

  constructor(transport: Transport, options: ResolvedPoolOptions, callbacks: Callbacks) {
    this.#transport = transport;
    this.#options = options;
    this.#callbacks = callbacks;
    this.circuit = createCircuit(options.restart, options.random);
    this.min = options.min;
    this.events = new PoolEvents(options.name);
    addSlots(this.slots, options.max);
  }

  get readyCount(): number {
    let count = 0;
    for (const { current } of this.slots) if (current?.state === 'ready') count += 1;
    return count;
  }

  /** Whether calls are refused: no worker is ready, and the circuit is not closed. */
  get isBroken(): boolean {
    return this.circuit.state !== 'closed' && this.readyCount === 0;
  }

  /** Starts one more worker, if a slot is free and none is starting. */
  grow(): void {
    if (this.circuit.state !== 'closed' || this.isClosed) return;
    if (this.slots.some(({ next, restartTimer }) => next ?? restartTimer)) return;
    const slot = this.slots.find(({ current }) => current === undefined);
    if (slot !== undefined) this.#spawn(slot);
  }

  /** Starts a worker for a slot that has none. */
  occupy(index: number): void {
    const slot = this.slots[index];
    if (slot === undefined || this.isClosed || this.circuit.state !== 'closed') return;
    if (!isTaken(slot)) this.#spawn(slot);
  }

  /** Starts missing workers: kept ones, those that calls wait for, and one more if calls wait for any. */
  fill(): void {
    for (const { index } of this.slots) {
      if (index < this.min || this.#callbacks.wants(index)) this.occupy(index);
    }
    if (this.#callbacks.wants()) this.grow();
  }

  /** Whether a slot has a worker, or is kept. */
  isUsed(slot: Slot): boolean {
    return slot.index < this.min || isTaken(slot);
  }

  /** Starts a worker that takes a slot over. Rejects with the error of its start; then the old one stays. */
  replace(slot: Slot): Promise<void> {
    const { next, restartTimer } = slot;
    if (this.isClosed) return Promise.reject(closed(this.#options.name));
    this.#options.clock.clearTimeout(restartTimer);
    slot.restartTimer = undefined;
    slot.next = undefined;
    if (next !== undefined) {
      next.replaced = true;
      this.kill(next);
      next.onStart?.(closed(this.#options.name));
    }
    return new Promise((resolve, reject) => {
      this.#spawn(slot, (error) => (error === undefined ? resolve() : reject(error)));
    });
  }

  /** A worker answered its first call: the pool works. */
  proved(): void {
    const wasClosed = this.circuit.state === 'closed';
    this.circuit.succeeded();
    if (!wasClosed) this.fill();
  }

  /** Stops a worker without calls, and kills it if it does not stop in time. */
  stop(worker: PoolWorker, graceMs: number): void {
    const { clock } = this.#options;
    worker.state = 'stopping';
    worker.post({ kind: 'stop' }, clock.now());
    worker.flush(false);
    const set = (timer: unknown): void => {
      worker.stopTimer = timer;
    };
    startFairTimer({ clock, ms: graceMs, set, passed: () => this.kill(worker) });
  }

  /** Whether one worker less would do. */
  get canShrink(): boolean {
    return this.circuit.state === 'closed' && this.readyCount > this.min;
  }

  /** Ends an idle worker; its slot stays empty until calls need it. */
  shrink(worker: PoolWorker): void {
    this.counts.idled += 1;
    this.#callbacks.retire(worker);
  }

  kill(worker: PoolWorker): void {
    if (worker.state === 'killed' || worker.state === 'gone') return;
    worker.state = 'killed';
    worker.handle?.kill();
  }

  whenReady(): Promise<void> {
    const { name } = this.#options;
    if (this.isClosed) return Promise.reject(closed(name));
    if (this.readyCount >= this.min) return Promise.resolve();
    const { circuit } = this;
    if (circuit.state === 'open') return Promise.reject(circuitOpen(name, circuit.lastError));
    return new Promise((resolve, reject) => this.#readyWaiters.push({ resolve, reject }));
  }

  /** Resolves when every worker is gone and the transport is closed. Workers are killed after `graceMs`, whatever they had before. */
  async close(graceMs: number): Promise<void> {
    const { clock, name } = this.#options;
    this.isClosed = true;
    clock.clearTimeout(this.#probeTimer);
    for (const slot of this.slots) clock.clearTimeout(slot.restartTimer);
    for (const { reject } of this.#readyWaiters.splice(0)) reject(closed(name));
    for (const worker of [...this.live]) {
      if (worker.state === 'starting') this.kill(worker);
      else if (worker.state === 'ready' || worker.state === 'retiring') this.stop(worker, graceMs);
      worker.onStart?.(closed(name));
    }
    if (this.live.size > 0) {
      // Also those that were stopping already, with a grace of their own.
      const end = clock.setTimeout(() => this.#killAll(), graceMs);
      await new Promise<void>((resolve) => {
        this.#allGone = resolve;
      });
      clock.clearTimeout(end);
    }
    await this.#transport.close();
  }

  #killAll(): void {
    for (const worker of [...this.live]) this.kill(worker);
  }

  /** The worker reports that it takes tasks. */
  ready(worker: PoolWorker): void {
    if (worker.state !== 'starting') return;
    const { clock } = this.#options;
    const slot = this.slots[worker.slot];
    if (slot?.next !== worker) return;
    clock.clearTimeout(worker.startTimer);
    worker.state = 'ready';
    this.#hasStarted = true;
    this.#failedStarts = 0;
    const old = slot.current;
    slot.next = undefined;
    slot.current = worker;
    if (old !== undefined) this.#callbacks.retire(old);
    worker.onStart?.(undefined);
    if (this.circuit.state === 'half-open') this.proved();
    this.#callbacks.ready(worker);
    this.events.ready(worker);
    this.resolveIfReady();
  }

  /** Resolves `whenReady()` if `min` workers take tasks. */
  resolveIfReady(): void {
    if (this.readyCount < this.min) return;
    this.everReady = true;
    for (const { resolve } of this.#readyWaiters.splice(0)) resolve();
  }

  /** Stops the workers of a slot that is no longer in `slots`. @returns those workers */
  vacate(slot: Slot): PoolWorker[] {
    const { current, next, restartTimer } = slot;
    this.#options.clock.clearTimeout(restartTimer);
    if (next !== undefined) {
      this.kill(next);
      // It is not needed: its start is over without an error.
      next.onStart?.(undefined);
      if (this.circuit.state === 'half-open') this.#failed(slot, this.circuit.lastError, true);
    }
    if (current !== undefined) this.#callbacks.retire(current);
    this.#callbacks.removed(slot.index);
    return [current, next].filter((worker) => worker !== undefined);
  }

  #spawn(slot: Slot, onStart?: (error: unknown) => void): void {
    const { clock, window, name } = this.#options;
    this.#lastId += 1;
    const worker = new PoolWorker({
      workerId: this.#lastId,
      slot: slot.index,
      window: createWindow(window, {
        ...this.#transport.autoWindow,
        isSole: () => this.slots.length === 1,
      }),
      pace: this.#transport.mayDifferInSpeed ? new Pace() : undefined,
      bornAt: clock.now(),
      onStart,
    });
    slot.next = worker;
    this.live.add(worker);
    this.counts.spawned += 1;
    this.#watchStart(worker);
    try {
      worker.handle = this.#transport.spawn(startOf(worker, this.module, this.#options), {
        frames: (frames) => this.#callbacks.frames(worker, frames),
        exit: (end) => this.#exit(worker, end),
      });
    } catch (error) {
      worker.startError = spawnFailed(name, slot.index, error);
      this.#exit(worker, { exitCode: undefined, signal: undefined, stderrTail: '' });
    }
  }

  #watchStart(worker: PoolWorker): void {
    const { clock, startTimeoutMs, name } = this.#options;
    const tooLate = (): void => {
      if (worker.isInspected) {
        this.#watchStart(worker);
        return;
      }
      worker.startError ??= {
        error: startedTooLate(name, startTimeoutMs, this.#transport.words?.hint),
        // Others would be waited for as long, in silence, and for the same reason.
        final: this.#transport.capabilities.hardKill && !this.#hasStarted,
      };
      this.kill(worker);
    };
    const set = (timer: unknown): void => {
      worker.startTimer = timer;
    };
    startFairTimer({ clock, ms: startTimeoutMs, set, passed: tooLate });
  }

  #exit(worker: PoolWorker, end: WorkerEnd): void {
    const { clock, name } = this.#options;
    const before = worker.state;
    if (before === 'gone') return;
    worker.state = 'gone';
    this.live.delete(worker);
    clock.clearTimeout(worker.startTimer);
    clock.clearTimeout(worker.stopTimer);
    const pid = worker.handle?.pid;
    // None, or another's, if its slot was removed.
    const slot = this.slots[worker.slot];
    const wasCurrent = slot?.current === worker;
    const wasNext = slot?.next === worker;
    if (wasCurrent) slot.current = undefined;
    if (wasNext) slot.next = undefined;
    this.#callbacks.gone(worker, end);
    worker.onGone?.();
    this.events.exit(worker, end);
    if (this.isClosed) {
      if (this.live.size === 0) this.#allGone?.();
      return;
    }
    if (before === 'ready' || before === 'retiring') this.counts.lost += 1;
    if (wasNext) {
      const before = this.#transport.words?.started;
      const failure = worker.startError ?? {
        error: workerLost(name, { pid, end, before }),
        final: false,
      };
      worker.onStart?.(failure.error);
      // Someone has ended it before its program could ask for a successor: the program is not to blame.
      const wasEnded = worker.startError === undefined && end.signal === 'SIGTERM';
      if (wasEnded && this.circuit.state === 'closed') {
        if (slot.current === undefined)
          this.#restartLater(slot, this.#options.restart.backoffMs[0]);
        this.fill();
        return;
      }
      // Starts in a row count, however slow: one that hangs for half a minute would never fail often enough within the period.
      this.#failedStarts += 1;
      const isFinal = failure.final || this.#failedStarts > this.#options.restart.maxFailures;
      // A failed replacement does no harm while the old one works.
      if (slot.current === undefined) this.#failed(slot, failure.error, isFinal);
    } else if (wasCurrent && slot.next === undefined && before === 'ready' && !worker.proved) {
      const before = this.#transport.words?.proof;
      this.#failed(slot, workerLost(name, { pid, end, before }), false);
    }
    this.fill();
    if (this.circuit.state !== 'closed') this.#callbacks.noSuccessor(this.circuit.lastError);
  }

  /** A worker failed to start, or ended before it had answered a call. */
  #failed(slot: Slot, error: unknown, final: boolean): void {
    const { clock, name } = this.#options;
    const wasOpen = this.circuit.state === 'open';
    const decision = this.circuit.failed(clock.now(), error, final);
    if (decision.kind === 'retry') {
      this.#restartLater(slot, decision.afterMs);
      return;
    }
    for (const each of this.slots) {
      clock.clearTimeout(each.restartTimer);
      each.restartTimer = undefined;
    }
    clock.clearTimeout(this.#probeTimer);
    this.#probeTimer = clock.setTimeout(() => this.#probe(), decision.probeAfterMs);
    // Nothing waits for a probe: its timer must not keep the process alive.
    (this.#probeTimer as { unref?: () => void } | undefined)?.unref?.();
    if (wasOpen) return;
    this.events.circuitOpen(error);
    for (const { reject } of this.#readyWaiters.splice(0)) reject(circuitOpen(name, error));
  }

  #restartLater(slot: Slot, afterMs: number): void {
    slot.restartTimer = this.#options.clock.setTimeout(() => {
      slot.restartTimer = undefined;
      this.fill();
    }, afterMs);
  }

  #probe(): void {
    if (this.isClosed || this.circuit.state !== 'open') return;
    this.circuit.probing();
    const slot = this.slots.find(({ current, next }) => (current ?? next) === undefined);
    if (slot === undefined) this.proved();
    else this.#spawn(slot);
  }
}

/** Events of the pool, for the kernel. */
interface Callbacks {
  frames(worker: PoolWorker, frames: readonly FromWorker[]): void;
  /** A worker takes tasks. */
  ready(worker: PoolWorker): void;
  /** A worker has a successor: it gets no more calls, and stops after those it has. */
  retire(worker: PoolWorker): void;
  /** A worker ended with the calls that it had. */
  gone(worker: PoolWorker, end: WorkerEnd): void;
  /** A slot was removed: any worker may run the calls that wait for it. */
  removed(slot: number): void;
  /** A worker ended while the circuit is not closed: no successor starts at once. */
  noSuccessor(error: unknown): void;
  /** Whether calls wait for the worker of a slot alone; without a slot, for any worker. */
  wants(slot?: number): boolean;
}
