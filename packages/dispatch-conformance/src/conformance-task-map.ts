import type { MessagePort } from 'node:worker_threads';
import type { RawJson, StreamFn, TaskFn, Transferred } from '@ticketing/dispatch';

/** A line that a task adds to a file: it shows that the task ran, even if its worker ends. */
export interface Mark {
  readonly log: string;
  readonly mark: string;
}

/** What a task knows of its call and its worker. */
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

/** What a worker was given at its start. */
export interface WorkerFacts {
  readonly data: unknown;
  /** In a module whose start was planned. */
  readonly atSetup: unknown;
  readonly slotVariable: string | undefined;
}

/** One event of a task, and its message without result and error. */
export interface TaskEvent {
  readonly event: string;
  readonly message: Readonly<Record<string, unknown>>;
}

/** How often and when workers start. */
export interface StartPlan {
  /** File that gets a line `setup <workerId> <slot>` for each attempt, `teardown`, and `exit <code>` for each call of `process.exit`, if replaced. */
  readonly log: string;
  /** Attempts that fail. Default 0. */
  readonly failures?: number;
  /** File without which every attempt fails. */
  readonly gate?: string;
  /** Whether `teardown` never ends. Default `false`. */
  readonly hangs?: boolean;
  /** Whether the module replaces `process.exit` by a function that ends nothing. Default `false`. */
  readonly replacesExit?: boolean;
}

/** What `items` does. */
export interface ItemsPlan {
  /** File that gets `begun <attempt>`, `item <number>` before each item, `waits`, and `ended` in its `finally`. */
  readonly log?: string;
  /** Items that it gives: 1, 2, … Default: it does not end by itself. */
  readonly count?: number;
  /** Number of the item in whose place it throws, ends its worker, or waits: for its signal, or, if it hangs, for ever. */
  readonly throwsAt?: number;
  readonly exitsAt?: number;
  readonly waitsAt?: number;
  readonly hangs?: boolean;
  /** Whether it ends its worker in the first attempt alone. Default `false`. */
  readonly firstOnly?: boolean;
}

/** What `fail` throws. */
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
  /** Reports `started`, waits until a file exists, and returns the mark. An abort ends it, and is marked too. */
  readonly hold: TaskFn<Partial<Mark> & { readonly until?: string }, string>;
  /** Reports `started`, and never settles. */
  readonly ignoreAbort: TaskFn<undefined, never>;
  /** Blocks its worker until a file exists; then returns the mark, or ends the worker. */
  readonly block: TaskFn<Mark & { readonly until: string; readonly exitCode?: number }, string>;
  /** Computes for `ms`; without it, longer than any case lasts. */
  readonly spin: TaskFn<Partial<Mark> & { readonly ms?: number }, string>;
  /** Ends its worker, or, with `firstOnly`, returns the attempt if that is not the first. */
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
  /** Reports again after it has answered, and marks that. */
  readonly reportLate: TaskFn<Mark, string>;
  readonly json: TaskFn<unknown, RawJson>;
  readonly bytes: TaskFn<
    { readonly length: number; readonly value: number },
    Transferred<Uint8Array>
  >;
  /** Says what it hears at a port, and `heard` there, once. */
  readonly talk: TaskFn<{ readonly port: MessagePort }, unknown>;
  /** Returns a port, which answers each number with the next one, and closes at 0. */
  readonly counter: TaskFn<undefined, Transferred<{ readonly port: MessagePort }>>;
  /** Adds a text to the list of its input, and returns the list. */
  readonly mutate: TaskFn<{ readonly list: string[] }, readonly string[]>;
  readonly tell: TaskFn<undefined, Told>;
  /** Returns what the async context of {@link contextKey} holds for the task. */
  readonly context: TaskFn<undefined, unknown>;
  /** Begins to record the events of `tracing:ticketing:dispatch:task` in the worker, or ends it and returns them. */
  readonly traceTasks: TaskFn<boolean, readonly TaskEvent[]>;
  /** Returns the message that the worker's subscriber has bound for the task, before and after it has waited. */
  readonly traced: TaskFn<undefined, readonly unknown[]>;
  /** Returns its `workerData`, what `setup` got, and the variable that names its slot. */
  readonly data: TaskFn<undefined, WorkerFacts>;
  /** Marks that it ran, and keeps a value in its worker. */
  readonly remember: TaskFn<Mark & { readonly value: unknown }, string>;
  /** Returns what its worker keeps. */
  readonly recall: TaskFn<undefined, unknown>;
  readonly items: StreamFn<ItemsPlan, number>;
  /** Gives back its input; `json` has marked it. */
  readonly kept: TaskFn<unknown, unknown>;
  /** Gives each value as JSON. */
  readonly jsonItems: StreamFn<readonly unknown[], RawJson>;
  /** Gives bytes, and moves them; reports the length of each before it. */
  readonly byteItems: StreamFn<readonly number[], Transferred<Uint8Array>>;
  /** Gives 1, then a function; marks its end. */
  readonly functionItems: StreamFn<Mark, unknown>;
  /** Gives the message that the worker's subscriber has bound for the task, before and after it has waited. */
  readonly tracedItems: StreamFn<undefined, unknown>;
  /** Makes the worker's next health check fail. */
  readonly sicken: TaskFn<undefined, string>;
};

/** Global symbol under which the planned `setup` leaves its `workerData` for the tasks. */
export const setupDataKey: unique symbol = Symbol.for('ticketing.dispatch.conformance.setup');

/** Global symbol under which a task of the same process finds the caller's AsyncLocalStorage. */
export const contextKey: unique symbol = Symbol.for('ticketing.dispatch.conformance.context');
