import type { WorkerHandle } from '../../../contract/transport.ts';
import { InFlight } from '../../../in-flight.ts';
import { Admission } from './admission.ts';
import { Outbox } from './outbox.ts';
import type { Pace } from './pace.ts';
import type { Window } from './window.ts';
import { type RecycleLimits, WorkerHealth } from './worker-health.ts';
import { WorkerLoad } from './worker-load.ts';

/**
 * Phase of a worker. `retiring`: its successor works, and it finishes its calls. `stopping`: it was asked to stop.
 * `killed`: its end has not been seen yet.
 *
 *   starting → ready → retiring → stopping → killed → gone
 *
 * Each may be skipped on the way to `killed` and `gone`.
 */
export type WorkerPhase = 'starting' | 'ready' | 'retiring' | 'stopping' | 'killed' | 'gone';

/** Call as a worker knows it. */
export interface HeldCall {
  /** Number of the call in its worker. */
  readonly seq: number;
  readonly sentAt: number;
}

/** Start of a worker. */
export interface WorkerStarting {
  /** Called once: with `undefined` when it has started, or with the error. */
  readonly onStart: ((error: unknown) => void) | undefined;
  /** True if the worker has reported that it can run tasks: it may still run some as a part of its start. */
  hasReported: boolean;
  /** Reason why the worker could not start. */
  error: StartError | undefined;
}

export interface StartError {
  readonly error: unknown;
  /** True if another start would fail the same way. */
  readonly final: boolean;
}

/** Reports of a worker. */
export interface WorkerReports {
  /** Latest report of other work. */
  report: unknown;
  /** Latest report of the worker's module. */
  moduleReport: unknown;
  /** Names of the worker's tasks that `json` has marked; undefined if there are none. */
  jsonTasks: ReadonlySet<string> | undefined;
  /** True if the worker has answered a call, or reported other work: if it ends, its start did not fail. */
  hasProved: boolean;
}

/** Worker that holds calls of type `C`. */
export class Worker<C extends HeldCall> {
  /** Written by `steps/workers.ts` alone, as `timer` and `handle` are. */
  phase: WorkerPhase = 'starting';
  handle: WorkerHandle | undefined = undefined;
  /** Timer of the phase: of the start, or of the end. */
  timer: unknown = undefined;
  /** Called when the end of the worker has been seen. */
  onGone: (() => void) | undefined = undefined;
  readonly workerId: number;
  readonly slot: number;
  readonly bornAt: number;
  /** Calls that the worker has not settled, by number. */
  readonly calls: InFlight<C> = new InFlight();
  readonly outbox: Outbox = new Outbox();
  readonly admission: Admission = new Admission();
  readonly load: WorkerLoad;
  readonly health: WorkerHealth;
  readonly starting: WorkerStarting;
  readonly reports: WorkerReports = {
    report: undefined,
    moduleReport: undefined,
    jsonTasks: undefined,
    hasProved: false,
  };

  constructor(worker: {
    readonly workerId: number;
    readonly slot: number;
    readonly bornAt: number;
    readonly window: Window;
    readonly pace?: Pace | undefined;
    readonly limits: RecycleLimits;
    readonly onStart?: ((error: unknown) => void) | undefined;
  }) {
    this.workerId = worker.workerId;
    this.slot = worker.slot;
    this.bornAt = worker.bornAt;
    this.load = new WorkerLoad(worker.window, worker.pace);
    this.health = new WorkerHealth(worker.limits);
    this.starting = { onStart: worker.onStart, hasReported: false, error: undefined };
  }

  /** Most calls that the worker holds. */
  get windowSize(): number {
    return Math.min(this.load.window.size, this.admission.most);
  }

  /** Number of calls that the worker takes now beside those it has; 0 or less if it takes none. */
  get room(): number {
    if (this.phase !== 'ready' || !this.admission.isOpen) return 0;
    return this.windowSize - this.calls.size + this.admission.stalled;
  }

  get hasRoom(): boolean {
    return this.room > 0;
  }

  /** Number of calls that the worker is likely to hold while others wait: more than now if it has just come, or gave calls back. */
  get holds(): number {
    return Math.max(this.calls.size, Math.min(this.load.window.size, this.admission.mostEver));
  }

  /** Highest number of a call that it has begun. */
  get started(): number {
    return this.handle?.started() ?? 0;
  }

  /** True while a task is running. */
  get isRunning(): boolean {
    const { started } = this;
    for (const { seq } of this.calls) if (seq <= started) return true;
    return false;
  }

  /** True if the worker may be at a breakpoint: its silence is no sign that it is dead. */
  get isInspected(): boolean {
    return this.handle?.isInspected ?? false;
  }

  /** True if the worker does other work than tasks, which must not end because of a task. */
  get isServing(): boolean {
    return this.reports.report !== undefined;
  }
}
