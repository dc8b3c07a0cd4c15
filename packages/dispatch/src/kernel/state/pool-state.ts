import { type Circuit, createCircuit } from '@ticketing/kit';
import type { BroadcastOptions } from '../../contract/dispatcher.ts';
import type { FromWorker } from '../../contract/frames.ts';
import type { Transport, Unsent, WorkerEnd } from '../../contract/transport.ts';
import { type Over, Watches } from '../limits/watches.ts';
import type { ResolvedPoolOptions } from '../options.ts';
import type { Call, CallOwner, PoolWorker } from './call.ts';
import { createKernelCounts, type KernelCounts } from './counts.ts';
import { Departures } from './departures.ts';
import { PolledAnswers } from './polled-answers.ts';
import { PoolEvents } from './pool-events.ts';
import { ProcessHold } from './process-hold.ts';
import { WaitingCalls } from './waiting-calls.ts';

/** Numbered position for a worker and its successors. Keys map to slots. */
export interface Slot {
  readonly index: number;
  current: PoolWorker | undefined;
  /** Starting worker; becomes `current` when it is ready. */
  next: PoolWorker | undefined;
  restartTimer: unknown;
}

/** Adds empty slots until there are `count`. */
export function addSlots(slots: Slot[], count: number): void {
  for (let index = slots.length; index < count; index++) {
    slots.push({ index, current: undefined, next: undefined, restartTimer: undefined });
  }
}

/** Returns true if a slot has a worker, or gets one. */
export function isTaken({ current, next, restartTimer }: Slot): boolean {
  return (current ?? next ?? restartTimer) !== undefined;
}

/** Returns how many slots have a worker that takes calls. */
export function countReady(slots: readonly Slot[]): number {
  let count = 0;
  for (const { current } of slots) if (current?.phase === 'ready') count += 1;
  return count;
}

/** Stage of the grace of an abandoned task. `asked`: messages of its worker when it was asked for a sign of life. */
export interface Grace {
  readonly stage: 'first half' | 'second half' | 'answer' | 'last';
  readonly ms: number;
  readonly asked: number | undefined;
}

/** Event that reaches a pool from outside: from its workers, or from a timer or a signal. */
export type PoolEvent =
  | { readonly kind: 'frames'; readonly worker: PoolWorker; readonly frames: readonly FromWorker[] }
  | { readonly kind: 'exit'; readonly worker: PoolWorker; readonly end: WorkerEnd }
  /** Calls whose input could not be sent. */
  | { readonly kind: 'unsent'; readonly worker: PoolWorker; readonly unsent: readonly Unsent[] }
  /** Signal or limit of a call. */
  | { readonly kind: 'over'; readonly call: Call; readonly over: Over }
  | { readonly kind: 'run-late'; readonly call: Call }
  | { readonly kind: 'threw'; readonly call: Call; readonly error: unknown }
  | { readonly kind: 'grace'; readonly call: Call; readonly grace: Grace }
  /** A worker has not done something in time; `prepared`: it has run the broadcasts that new workers run. */
  | {
      readonly kind: 'start-late' | 'stop-late' | 'silent' | 'prepared';
      readonly worker: PoolWorker;
    }
  | { readonly kind: 'restart'; readonly slot: Slot }
  | { readonly kind: 'health'; readonly isLate: boolean }
  | { readonly kind: 'held-up' | 'idle' | 'linger' | 'probe' };

/** Broadcast that workers run which start later. */
export interface KeptBroadcast {
  readonly task: string;
  readonly input: unknown;
  readonly options: Omit<BroadcastOptions, 'later'>;
  readonly owner: CallOwner | undefined;
}

/** Caller that waits until a call would be taken. */
export interface CapacityWaiter {
  readonly key: string | undefined;
  resolve(): void;
  reject(error: unknown): void;
}

/** Drain that waits until no call is open: of one owner, or of all. */
export interface WaitingDrain {
  readonly owner: CallOwner | undefined;
  resolve(): void;
}

/** Queue of a pool and the workers that empty it, as policies see them. */
export interface PoolQueue {
  readonly slots: readonly Slot[];
  readonly waiting: WaitingCalls;
  readonly departures: Departures;
  readonly options: Pick<ResolvedPoolOptions, 'maxQueue' | 'maxWaitMs'>;
  /** True if workers may differ in speed. */
  readonly mayDiffer: boolean;
  /** True if empty slots get workers. */
  readonly isHopeful: boolean;
  /** Returns the owner of a key, for transports that know it. */
  readonly homeOf: ((key: string, workerIds: readonly number[]) => number | undefined) | undefined;
}

/** Calls of a pool. `active`, `streams` and `lastId` are written by `steps/settle.ts` alone. */
export interface PoolCalls {
  /** Calls whose callers are waiting. */
  active: number;
  /** Streams among these. */
  streams: number;
  lastId: number;
  readonly counts: KernelCounts;
  /** Broadcast calls, counted apart so that they do not skew the figures of callers. */
  readonly broadcasts: KernelCounts;
  readonly watches: Watches<Call>;
}

/** Workers of a pool. Written by `steps/workers.ts` alone, but for counts of workers that other steps end. */
export interface PoolStaff {
  readonly slots: Slot[];
  /** Workers whose end has not been seen. */
  readonly live: Set<PoolWorker>;
  readonly circuit: Circuit;
  readonly counts: {
    spawned: number;
    lost: number;
    killed: number;
    recycled: number;
    idled: number;
  };
  readonly events: PoolEvents;
  readonly readyWaiters: { resolve(): void; reject(error: unknown): void }[];
  /** Workers that are kept. */
  min: number;
  module: URL | undefined;
  /** Tasks of the worker that started last. */
  tasks: ReadonlySet<string> | undefined;
  lastId: number;
  /** `never`: no worker has started; `some`: one has; `all`: `min` workers were ready once. */
  started: 'never' | 'some' | 'all';
  /** Consecutive failed starts, over all slots. */
  failedStarts: number;
  probeTimer: unknown;
  /** Called when the last worker is gone, once it is closed. */
  onEmpty: (() => void) | undefined;
}

/** Event of a worker for observers, who get it after the pass. */
export type PoolNews =
  | { readonly kind: 'ready'; readonly worker: PoolWorker }
  | { readonly kind: 'exit'; readonly worker: PoolWorker; readonly end: WorkerEnd }
  | { readonly kind: 'circuit-open'; readonly error: unknown };

/** Changes since the last pass of `advance`, which clears them; `reported` is cleared by `kernel.ts`. */
export interface PoolChanges {
  /** True while the pass runs. */
  isRunning: boolean;
  /** Workers whose room, calls or phase have changed. */
  touched: PoolWorker[];
  /** Empty list that takes the place of `touched` in the next pass. */
  spare: PoolWorker[];
  /** Workers that have reported that they can run tasks, and must run kept broadcasts first. */
  reported: PoolWorker[];
  news: PoolNews[];
  /** Worker that has just sent something: its frames leave at once. */
  speaker: PoolWorker | undefined;
  /** Calls that several workers may take wait again. */
  hasReturned: boolean;
  /** Workers have come or gone: keys may have new homes. */
  hasStaffChanged: boolean;
  /** Calls or slots may want workers. */
  mayStart: boolean;
  /** Perhaps no worker will come for calls that wait. */
  hasLostHope: boolean;
  /** True if there may be room for one more call. */
  hasRoom: boolean;
}

/** Frames that wait for the end of this turn. Written by `steps/send.ts` alone. */
export interface UnsentFrames {
  /** Workers with unsent frames; some may have been flushed since. */
  readonly workers: PoolWorker[];
  isTicking: boolean;
  /** Sends all; one function for all turns. */
  tick: (() => void) | undefined;
  /** True if tasks run in other threads, so that none begins within the code that sends. */
  readonly isApart: boolean;
}

/** Everything that is known of a pool. Workers, signals and timers of calls and workers reach it by `emit` alone. */
export interface PoolState {
  readonly transport: Transport;
  readonly options: ResolvedPoolOptions;
  phase: 'open' | 'draining' | 'closed';
  readonly queue: PoolQueue;
  readonly calls: PoolCalls;
  readonly staff: PoolStaff;
  readonly changes: PoolChanges;
  readonly unsent: UnsentFrames;
  readonly polling: PolledAnswers;
  readonly hold: ProcessHold;
  /** Timers of regular checks, and the checks in a row that find a worker held up. */
  readonly checks: { heldUp: unknown; neededChecks: number; health: unknown; idle: unknown };
  readonly capacity: { readonly waiters: Set<CapacityWaiter>; granted: number };
  readonly drains: Set<WaitingDrain>;
  /** Latest kept broadcast of each task, in the order of their calls. */
  readonly kept: Map<string, KeptBroadcast>;
  emit(event: PoolEvent): void;
}

/** Returns the state of a pool before its first worker. */
export function createPoolState(
  transport: Transport,
  options: ResolvedPoolOptions,
  receive: (pool: PoolState, event: PoolEvent) => void,
): PoolState {
  const slots: Slot[] = [];
  addSlots(slots, options.max);
  const live = new Set<PoolWorker>();
  const circuit = createCircuit(options.restart, options.random);
  const pool: PoolState = {
    transport,
    options,
    phase: 'open',
    queue: {
      slots,
      waiting: new WaitingCalls(),
      departures: new Departures(),
      options,
      mayDiffer: transport.mayDifferInSpeed ?? false,
      get isHopeful() {
        return circuit.state === 'closed';
      },
      homeOf: transport.homeOf?.bind(transport),
    },
    calls: {
      active: 0,
      streams: 0,
      lastId: 0,
      counts: createKernelCounts(),
      broadcasts: createKernelCounts(),
      watches: new Watches(options.clock, (call, over) => pool.emit({ kind: 'over', call, over })),
    },
    staff: {
      slots,
      live,
      circuit,
      counts: { spawned: 0, lost: 0, killed: 0, recycled: 0, idled: 0 },
      events: new PoolEvents(options.name),
      readyWaiters: [],
      min: options.min,
      module: undefined,
      tasks: undefined,
      lastId: 0,
      started: 'never',
      failedStarts: 0,
      probeTimer: undefined,
      onEmpty: undefined,
    },
    changes: {
      isRunning: false,
      touched: [],
      spare: [],
      reported: [],
      news: [],
      speaker: undefined,
      hasReturned: false,
      hasStaffChanged: false,
      mayStart: false,
      hasLostHope: false,
      hasRoom: false,
    },
    unsent: {
      workers: [],
      isTicking: false,
      tick: undefined,
      isApart: transport.capabilities.isolation !== 'none',
    },
    polling: new PolledAnswers((transport.polls ?? false) && options.busyPoll),
    hold: new ProcessHold(live),
    checks: { heldUp: undefined, neededChecks: 1, health: undefined, idle: undefined },
    capacity: { waiters: new Set(), granted: 0 },
    drains: new Set(),
    kept: new Map(),
    emit: (event) => receive(pool, event),
  };
  return pool;
}

/** Notes that the room, the calls or the phase of a worker have changed. */
export function touch({ changes }: PoolState, worker: PoolWorker): void {
  const { touched } = changes;
  if (touched.length === 0 || !touched.includes(worker)) touched.push(worker);
  changes.hasRoom = true;
}
