import { createInterface } from 'node:readline';
import type { NatsFleetStats } from '@ticketing/dispatch-nats';

/** Options of a worker host, on its command line. */
export interface WorkerHostGiven {
  readonly servers: readonly string[];
  readonly fleet: string;
  readonly name: string;
  readonly capacity: number;
  readonly taskMs: number;
  readonly revision?: string;
  /** True if the host offers the task `extra` too. */
  readonly hasExtra?: boolean;
  /** Path of a file; each line is a {@link JournalLine}. */
  readonly journal: string;
}

/** Step of a task, written before the next one: it outlives a SIGKILL. Epoch milliseconds. */
export interface JournalLine {
  readonly what: 'begin' | 'end' | 'abort';
  readonly id: string;
  readonly host: string;
  readonly at: number;
  /** Time at which the caller gives up. */
  readonly deadline: number;
}

export type ToWorkerHost = { readonly do: 'slow'; readonly by: number } | { readonly do: 'drain' };

/** Options of a serving host, on its command line. */
export interface ServingHostGiven {
  readonly servers: readonly string[];
  readonly fleet: string;
  readonly name: string;
  readonly taskMs: number;
  readonly callsPerSecond: number;
  readonly idempotentShare: number;
  readonly timeoutMs: number;
  readonly beatMs: number;
  readonly missedBeats: number;
  readonly sessions: number;
  /** True if calls that meet no host run here. */
  readonly hasFallback?: boolean;
  /** True if only hosts with the task `extra` are used; every second call asks for it. */
  readonly needsExtra?: boolean;
  /** Hot keys to ask for instead of tasks: equal ones share a load, at the key's owner, or by leases of Redis. */
  readonly loads?: LoadsGiven;
}

export interface LoadsGiven {
  readonly keys: number;
  readonly by: 'owner' | 'redis';
  /** Address of Redis; the fleet's own, if it has one. */
  readonly redis?: string;
  /** Milliseconds that a loaded value is kept. */
  readonly ttlMs?: number;
}

export type ToServingHost =
  | { readonly do: 'begin'; readonly at: number; readonly seconds: number }
  | { readonly do: 'forget'; readonly key: string };

/** Call as its caller saw it. */
export interface Call {
  readonly id: string;
  readonly server: string;
  /** True if the call may run twice, and so is tried again. */
  readonly mayTwice: boolean;
  /** Epoch milliseconds at which it was due, and milliseconds until its answer. */
  readonly at: number;
  readonly ms: number;
  /** Code of the error; empty for an answer. */
  readonly code: string;
  /** Name of the host that answered; `here` for a fallback. */
  readonly host: string;
  readonly key?: string;
  /** Name of the load from which the value comes. */
  readonly version?: number;
}

export type FromHost =
  | { readonly kind: 'ready' }
  | { readonly kind: 'calls'; readonly calls: readonly Call[] }
  | { readonly kind: 'second'; readonly asked: number; readonly hosts: number }
  | {
      readonly kind: 'event';
      readonly at: number;
      readonly type: string;
      readonly host: string;
      readonly sign?: string;
    }
  | { readonly kind: 'done'; readonly report: ServingReport }
  /** Message of a worker host that has left by drain. */
  | { readonly kind: 'drained' };

/** Counts of a dispatcher. */
export interface ServingReport {
  readonly retried: number;
  readonly returned: number;
  /** Calls that each of its workers holds at most. */
  readonly windows: readonly number[];
  readonly refused: NatsFleetStats['refused'];
  readonly lost: NatsFleetStats['lost'];
}

/** Epoch milliseconds with fractions: processes of one machine agree. */
export function epoch(): number {
  return performance.timeOrigin + performance.now();
}

/** Reads messages, one JSON document a line, until the other side ends. */
export async function readMessages<T>(
  input: NodeJS.ReadableStream,
  onMessage: (message: T) => void,
): Promise<void> {
  for await (const line of createInterface({ input })) {
    if (line.startsWith('{')) onMessage(JSON.parse(line) as T);
  }
}

/** Sends a message to the process that started this one. */
export function tell(message: FromHost): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
