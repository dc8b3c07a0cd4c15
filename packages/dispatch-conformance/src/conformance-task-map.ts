import type { MessagePort } from 'node:worker_threads';
import type { RawJson, StreamFn, TaskFn, Transferred } from '@ticketing/dispatch';

/** A line that a task adds to a file: it shows that the task ran, even if its worker ends. */
export interface Mark {
  readonly log: string;
  readonly mark: string;
}

/** Facts that a task knows of its call and its worker. */
export interface Told {
  readonly id: number;
  readonly attempt: number;
  readonly deadline: number | undefined;
  readonly workerId: number;
  readonly slot: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly aborted: boolean;
  readonly pid: number;
}

/** Data that a worker got at its start. */
export interface WorkerFacts {
  readonly data: unknown;
  /** Data that `setup` got, in a module with a planned start. */
  readonly atSetup: unknown;
  readonly slotVariable: string | undefined;
}

/** One event of a task, with its message but for result and error. */
export interface TaskEvent {
  readonly event: string;
  readonly message: Readonly<Record<string, unknown>>;
}

/** Plan of the starts of workers. */
export interface StartPlan {
  /** File that gets a line `setup <workerId> <slot>` for each attempt, `teardown`, and `exit <code>` for each call of `process.exit`, if replaced. */
  readonly log: string;
  /** Attempts that fail. Default 0. */
  readonly failures?: number;
  /** File without which every attempt fails. */
  readonly gate?: string;
  /** True if `teardown` never ends. Default `false`. */
  readonly hangs?: boolean;
  /** True if the module replaces `process.exit` by a function that ends nothing. Default `false`. */
  readonly replacesExit?: boolean;
}

/** Plan of the stream `items`. */
export interface ItemsPlan {
  /** File that gets `begun <attempt>`, `item <number>` before each item, `waits`, and `ended` in its `finally`. */
  readonly log?: string;
  /** Number of items: 1, 2, … Default: the stream does not end by itself. */
  readonly count?: number;
  /** Number of the item in whose place the task throws. */
  readonly throwsAt?: number;
  /** Number of the item in whose place the task ends its worker. */
  readonly exitsAt?: number;
  /** Number of the item in whose place the task waits for its signal; with `hangs` it waits without end. */
  readonly waitsAt?: number;
  readonly hangs?: boolean;
  /** True if the task ends its worker in the first attempt alone. Default `false`. */
  readonly firstOnly?: boolean;
}

/** Name of the value that `fail` throws. */
export type Failure =
  | 'aggregate'
  | 'caused'
  | 'class'
  | 'coded'
  | 'cycle'
  | 'getter'
  | 'null'
  | 'number'
  | 'response'
  | 'suppressed'
  | 'text'
  | 'type'
  | 'uncloneable'
  | 'undefined';

/** The tasks that the conformance cases run. */
export type ConformanceTasks = {
  readonly echo: TaskFn<unknown, unknown>;
  readonly add: TaskFn<{ readonly a: number; readonly b: number }, number>;
  readonly mark: TaskFn<Mark, string>;
  /** Reports `started`, waits until a file exists, and returns the mark. An abort ends the task, and is marked too. */
  readonly hold: TaskFn<Partial<Mark> & { readonly until?: string }, string>;
  /** Reports `started`, and never settles. */
  readonly ignoreAbort: TaskFn<undefined, never>;
  /** Blocks the worker until a file exists; then returns the mark, or ends the worker. */
  readonly block: TaskFn<Mark & { readonly until: string; readonly exitCode?: number }, string>;
  /** Computes for `ms` milliseconds; by default longer than any case lasts. */
  readonly spin: TaskFn<Partial<Mark> & { readonly ms?: number }, string>;
  /** Ends the worker; with `firstOnly` only in the first attempt, and returns the number of any later one. */
  readonly exit: TaskFn<
    Partial<Mark> & { readonly code: number; readonly say?: string; readonly firstOnly?: boolean },
    number
  >;
  readonly signalSelf: TaskFn<NodeJS.Signals, never>;
  readonly throwLater: TaskFn<string, never>;
  readonly rejectLater: TaskFn<string, never>;
  readonly exhaustMemory: TaskFn<undefined, never>;
  readonly fail: TaskFn<Failure, never>;
  readonly returnFunction: TaskFn<undefined, unknown>;
  /** Returns an object of `platformObjects`, by its name, inside a value. */
  readonly returnPlatformObject: TaskFn<string, unknown>;
  /** Reports 1 to `times`, and returns `times`. */
  readonly report: TaskFn<{ readonly times: number }, number>;
  readonly reportFunction: TaskFn<undefined, string>;
  /** Reports again after the answer, and marks that. */
  readonly reportLate: TaskFn<Mark, string>;
  readonly json: TaskFn<unknown, RawJson>;
  readonly bytes: TaskFn<
    { readonly length: number; readonly value: number },
    Transferred<Uint8Array>
  >;
  /** Returns a view of all or some bytes, or of Node's pool, without its buffer; `viewed` returns the bytes that stay. */
  readonly view: TaskFn<'whole' | 'part' | 'pooled', Transferred<Uint8Array>>;
  readonly viewed: TaskFn<undefined, readonly number[]>;
  /** Returns the first message of a port, and answers it with `heard`. */
  readonly talk: TaskFn<{ readonly port: MessagePort }, unknown>;
  /** Returns a port, which answers each number with the next one, and closes at 0. */
  readonly counter: TaskFn<undefined, Transferred<{ readonly port: MessagePort }>>;
  /** Adds a text to the list of its input, and returns the list. */
  readonly mutate: TaskFn<{ readonly list: string[] }, readonly string[]>;
  readonly tell: TaskFn<undefined, Told>;
  /** Returns the value that the async context of {@link contextKey} has for the task. */
  readonly context: TaskFn<undefined, unknown>;
  /** Begins to record the events of `tracing:ticketing:dispatch:task` in the worker, or ends the record and returns it. */
  readonly traceTasks: TaskFn<boolean, readonly TaskEvent[]>;
  /** Returns the message that the worker's subscriber has bound for the task, before and after a wait. */
  readonly traced: TaskFn<undefined, readonly unknown[]>;
  /** Returns the worker's `workerData`, the data that `setup` got, and the variable with the slot. */
  readonly data: TaskFn<undefined, WorkerFacts>;
  /** Marks the run, and keeps a value in the worker. */
  readonly remember: TaskFn<Mark & { readonly value: unknown }, string>;
  /** Returns the value that its worker keeps. */
  readonly recall: TaskFn<undefined, unknown>;
  readonly items: StreamFn<ItemsPlan, number>;
  /** Returns the input; the task is marked by `json`. */
  readonly kept: TaskFn<unknown, unknown>;
  /** Yields each value as JSON. */
  readonly jsonItems: StreamFn<readonly unknown[], RawJson>;
  /** Yields bytes, and moves them; reports the length of each item before it. */
  readonly byteItems: StreamFn<readonly number[], Transferred<Uint8Array>>;
  /** Yields 1, then a function; marks its end. */
  readonly functionItems: StreamFn<Mark, unknown>;
  /** Yields the message that the worker's subscriber has bound for the task, before and after a wait. */
  readonly tracedItems: StreamFn<undefined, unknown>;
  /** Makes the worker's next health check fail. */
  readonly sicken: TaskFn<undefined, string>;
};

/** Global symbol under which the planned `setup` leaves its `workerData` for the tasks. */
export const setupDataKey: unique symbol = Symbol.for('ticketing.dispatch.conformance.setup');

/** Global symbol under which a task of the same process finds the caller's AsyncLocalStorage. */
export const contextKey: unique symbol = Symbol.for('ticketing.dispatch.conformance.context');
