import { createInterface } from 'node:readline';
import type { NatsFleetStats } from '@ticketing/dispatch-nats';

/** What a worker host is started with. */
export interface WorkerHostGiven {
  readonly servers: readonly string[];
  readonly fleet: string;
  readonly name: string;
  readonly capacity: number;
  readonly taskMs: number;
  readonly revision?: string;
  /** Offers the task `extra` too. */
  readonly hasExtra?: boolean;
  /** A file; each line is a {@link JournalLine}. */
  readonly journal: string;
}

/** What a task does, written before the next step: it outlives a SIGKILL. Epoch milliseconds. */
export interface JournalLine {
  readonly what: 'begin' | 'end' | 'abort';
  readonly id: string;
  readonly host: string;
  readonly at: number;
  /** When its caller gives up. */
  readonly deadline: number;
}

export type ToWorkerHost = { readonly do: 'slow'; readonly by: number } | { readonly do: 'drain' };

/** What a serving host is started with. */
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
  /** Calls that meet no host run here. */
  readonly hasFallback?: boolean;
  /** Only hosts with the task `extra`, which every second call asks for. */
  readonly needsExtra?: boolean;
  /** Asks for hot keys instead of tasks: equal ones share a load, at the key's owner, or by leases of Redis. */
  readonly loads?: LoadsGiven;
}

export interface LoadsGiven {
  readonly keys: number;
  readonly by: 'owner' | 'redis';
  /** `redis://…`; the fleet's own, if it has one. */
  readonly redis?: string;
  /** Milliseconds that a loaded value is kept. */
  readonly ttlMs?: number;
}

export type ToServingHost =
  | { readonly do: 'begin'; readonly at: number; readonly seconds: number }
  | { readonly do: 'forget'; readonly key: string };

/** One call, as its caller saw it. */
export interface Call {
  readonly id: string;
  readonly server: string;
  /** Whether it may run twice, and so is tried again. */
  readonly mayTwice: boolean;
  /** Epoch milliseconds when it was due, and how long its answer took. */
  readonly at: number;
  readonly ms: number;
  /** Empty for an answer. */
  readonly code: string;
  /** Which host answered; `here` for a fallback. */
  readonly host: string;
  readonly key?: string;
  /** Which load the value is of. */
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
  /** A worker host has left by drain. */
  | { readonly kind: 'drained' };

/** What a dispatcher has counted. */
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
