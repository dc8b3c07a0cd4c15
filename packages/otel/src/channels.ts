import type { AsyncLocalStorage } from 'node:async_hooks';
import { type Channel, type ChannelListener, channel } from 'node:diagnostics_channel';

// The messages of the libraries, as far as they are read here. Nothing is imported from them: the tests run the real
// packages, so that a message that changes fails there.

/** Runs a function in the async context of the first caller. */
type InCaller = <R>(run: () => R) => R;

/** `tracing:ticketing:batching:load:*` */
export interface LoadMessage {
  readonly name: string;
  readonly key: unknown;
  readonly loadId: string;
  readonly cause: 'call' | 'renewal' | 'overflow';
  readonly inCaller: InCaller;
  readonly waiters: number;
  readonly error?: unknown;
}

/** `ticketing:batching:join` */
export interface JoinMessage {
  readonly name: string;
  readonly loadId: string;
}

/** `ticketing:batching:hit`, `ticketing:batching:overflow` */
export interface NameMessage {
  readonly name: string;
}

/** `tracing:ticketing:batching:batch:*` */
export interface BatchMessage {
  readonly name: string;
  readonly keys: number;
  readonly inCaller: InCaller;
  readonly failed?: number;
  readonly error?: unknown;
}

interface Query {
  readonly origin: { readonly name: string };
  readonly destination: { readonly name: string };
  readonly date: string;
  readonly passengers: readonly unknown[];
}

/** `tracing:ticketing:core:search:*` */
export interface SearchMessage {
  readonly query: Query;
  readonly deadlineMs: number;
  readonly ended?: { readonly complete: boolean; readonly aborted: boolean };
}

/** `tracing:ticketing:batching:stream:*` */
export interface StreamMessage {
  readonly name: string;
  readonly key: unknown;
  readonly streamId: string;
  readonly cause: 'call' | 'overflow';
  readonly inCaller: InCaller;
  readonly items?: number;
  readonly error?: unknown;
}

/** `ticketing:batching:stream-join` */
export interface StreamJoinMessage {
  readonly name: string;
  readonly streamId: string;
}

/** `tracing:ticketing:batching:shared:*` */
export interface SharedMessage {
  readonly name: string;
  readonly key: unknown;
  readonly outcome?: string;
  readonly load?: string;
  readonly error?: unknown;
}

/** `ticketing:batching:shared-lead` */
export interface LeadMessage {
  readonly name: string;
  readonly load: string;
  readonly isRenewal: boolean;
  readonly call: SharedMessage | undefined;
}

/** `ticketing:batching:shared-join` */
export interface SharedJoinMessage {
  readonly load: string;
  readonly call: SharedMessage;
}

/** `ticketing:batching:coordinator` */
export interface CoordinatorMessage {
  readonly name: string;
  readonly state: 'up' | 'down';
}

/** `tracing:ticketing:core:scatter:*` */
export interface ScatterMessage {
  readonly scatter: string;
  readonly deadlineMs: number;
  readonly ended?: { readonly complete: boolean; readonly aborted: boolean };
}

/** `tracing:ticketing:core:source:*` */
export interface SourceMessage {
  readonly scatter: string;
  readonly source: string;
  readonly status?: {
    readonly state: string;
    readonly ms: number;
    readonly error?: { readonly code: string; readonly message: string };
  };
}

/** `tracing:ticketing:core:carrier:*` */
export interface CarrierMessage {
  readonly carrier: string;
  readonly status?: {
    readonly state: string;
    readonly ms: number;
    readonly found: number;
    readonly error?: { readonly code: string; readonly message: string };
  };
}

/** `tracing:ticketing:dispatch:run:*` */
export interface RunMessage {
  readonly name: string;
  readonly task: string;
  /** Texts for the worker; subscribers of `start` add to them. */
  readonly metadata: Record<string, string>;
  readonly outcome?: string;
  readonly attempt?: number;
  readonly workerId?: number | undefined;
  readonly waitMs?: number;
  readonly runMs?: number;
  readonly error?: unknown;
}

/** `ticketing:dispatch:retry`: an attempt whose worker was lost. */
export interface RetryMessage {
  readonly run: RunMessage;
  readonly attempt: number;
  readonly workerId: number;
  readonly heldMs: number;
}

/** `tracing:ticketing:dispatch:task:*`, in the worker */
export interface TaskMessage {
  readonly task: string;
  readonly attempt: number;
  readonly workerId: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly error?: unknown;
}

/** `ticketing:dispatch:worker-ready`, `ticketing:dispatch:worker-exit` */
export interface WorkerMessage {
  readonly name: string;
  readonly workerId: number;
}

/** `ticketing:dispatch-cluster:worker-report` */
export interface WorkerReportMessage extends WorkerMessage {
  readonly requests: number;
  readonly inFlight: number;
  readonly connections: number;
}

/** `ticketing:socket-router:handed-over` */
export interface HandedOverMessage {
  readonly ms: number;
}

/** `ticketing:socket-router:rerouted` */
export interface ReroutedMessage {
  readonly connections: number;
}

/** `ticketing:socket-router:worker-ready`, `worker-stuck`, `worker-down` */
export interface RouterWorkerMessage {
  readonly slot: string;
  readonly pid: number | undefined;
}

/** `ticketing:resilience:circuit` */
export interface CircuitMessage {
  readonly name: string;
  readonly state: 'closed' | 'open' | 'half-open';
  readonly openMs: number | undefined;
}

/** `ticketing:resilience:pause` */
export interface PauseMessage {
  readonly name: string;
  readonly pauseMs: number;
}

/** `ticketing:resilience:retry` */
export interface GuardRetryMessage {
  readonly name: string;
  readonly attempt: number;
  readonly delayMs: number;
  readonly error: unknown;
}

/** `ticketing:resilience:hedge` */
export interface HedgeMessage {
  readonly name: string;
  readonly attempt: number;
  readonly afterMs: number;
}

/** Subscriptions that end together. What a subscriber throws stays here: it must not break the call that it watches. */
export class Subscriptions {
  readonly #ends: (() => void)[] = [];

  /** Calls `listener` with each message of a channel. */
  on<M>(name: string, listener: (message: M) => void): void {
    const safe: ChannelListener = (message) => {
      safely(() => listener(message as M));
    };
    const heard = channel(name);
    heard.subscribe(safe);
    this.#ends.push(() => heard.unsubscribe(safe));
  }

  /** Calls `listener` with 1 when what a tracing channel traces begins, and with -1 when it has ended, unless it began before. */
  during<M extends object>(name: string, listener: (change: 1 | -1, message: M) => void): void {
    const begun = new WeakSet<M>();
    this.on<M>(`tracing:${name}:start`, (message) => {
      begun.add(message);
      listener(1, message);
    });
    this.on<M>(`tracing:${name}:asyncEnd`, (message) => {
      if (begun.delete(message)) listener(-1, message);
    });
  }

  /** Runs what a tracing channel traces inside `store`, with the value for its message; `undefined` changes nothing. */
  bind<M, T>(name: string, store: AsyncLocalStorage<T>, valueFor: (message: M) => T): void {
    const { start } = startOf(name);
    start.bindStore(
      store as AsyncLocalStorage<unknown>,
      (message) => safely(() => valueFor(message as M)) ?? store.getStore(),
    );
    this.#ends.push(() => void start.unbindStore(store as AsyncLocalStorage<unknown>));
  }

  end(): void {
    for (const end of this.#ends.splice(0)) end();
  }
}

function startOf(name: string): { readonly start: Channel } {
  return { start: channel(`tracing:${name}:start`) };
}

/** Returns what `work` returns, or `undefined` when it throws. */
function safely<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
