import type { RouterWorker, WorkerSource } from '../contract/worker-source.ts';
import { sharedSlot, workersFailToStart } from '../errors.ts';
import type { WorkerQueue } from './worker-queue.ts';

/** Change of the workers that sources have. */
export type SourceEvent =
  | { readonly kind: 'joined'; readonly worker: RouterWorker }
  /** Workers of these slots fail to start, the last one with `error`. */
  | { readonly kind: 'circuit-open'; readonly slots: readonly string[]; readonly error: unknown };

interface SourceState {
  readonly source: WorkerSource;
  /** Slots that the source names, or in which it had a worker. */
  readonly slots: Set<string>;
  /** State of what is known: `all` once all slots of the source have been seen: at once, unless it has its own `ready()`. */
  knowledge: 'none' | 'asked' | 'all';
  /** Present while the source's workers fail to start. */
  circuit: { readonly error: unknown } | undefined;
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Sources of a router's workers: their slots, and whether each can have a worker. */
export class Sources {
  readonly #states: readonly SourceState[];
  readonly #emit: (event: SourceEvent) => void;
  readonly #owners = new Map<string, SourceState>();
  readonly #ends: (() => void)[] = [];
  #waiters: Waiter[] = [];
  #queues: Iterable<WorkerQueue> = [];
  #wereReady = false;

  constructor(sources: readonly WorkerSource[], emit: (event: SourceEvent) => void) {
    this.#emit = emit;
    this.#states = sources.map((source) => {
      const state: SourceState = {
        source,
        slots: new Set(source.slots),
        knowledge: source.ready === undefined ? 'all' : 'none',
        circuit: undefined,
      };
      for (const slot of state.slots) this.#owners.set(slot, state);
      return state;
    });
  }

  /** True once each slot has had a worker that serves, all at once. */
  get wereReady(): boolean {
    return this.#wereReady;
  }

  start(): void {
    for (const state of this.#states) {
      const { source } = state;
      const opened = ({ error }: { readonly error: unknown }): void => this.#open(state, error);
      source.events?.on('circuit-open', opened);
      this.#ends.push(() => source.events?.off('circuit-open', opened));
      this.#ends.push(source.subscribe((worker) => this.#join(state, worker)));
      this.#learn(state);
    }
  }

  stop(): void {
    for (const end of this.#ends) end();
  }

  /** Resolves the calls of `ready()`: no caller has to wait for workers now. */
  giveUp(): void {
    this.#settle(({ resolve }) => resolve());
  }

  async close(graceMs: number): Promise<void> {
    await Promise.all(this.#states.map(({ source }) => source.close?.({ graceMs })));
  }

  knowsSlot(slot: string): boolean {
    return this.#owners.has(slot);
  }

  /** The failure of a source whose workers fail to start; `undefined` when there is none. */
  get failed(): { readonly error: unknown } | undefined {
    return this.#states.find(({ circuit }) => circuit !== undefined)?.circuit;
  }

  /** Returns whether the workers of all these slots fail to start; without slots, the workers of all sources. */
  haveFailed(slots?: readonly string[]): boolean {
    const states = slots?.map((slot) => this.#owners.get(slot)) ?? this.#states;
    return states.length > 0 && states.every((state) => state?.circuit !== undefined);
  }

  /** Asks the worker's source to replace it. Returns whether it can. */
  replace(worker: RouterWorker, replacing: () => void): boolean {
    const source = this.#owners.get(worker.slot)?.source;
    if (source?.replace === undefined) return false;
    replacing();
    source.replace(worker);
    return true;
  }

  /** Notes that a worker serves: its source can start workers. */
  served(slot: string): void {
    const state = this.#owners.get(slot);
    if (state === undefined) return;
    state.circuit = undefined;
    this.#learn(state);
  }

  /** Notes what queues there are, and how they are. */
  update(queues: Iterable<WorkerQueue>): void {
    this.#queues = queues;
    this.#check();
  }

  /**
   * Resolves when each slot has a worker that serves, or by `giveUp()`.
   *
   * @throws RouterError `ERR_CIRCUIT_OPEN`, or the error of a source's own `ready()`
   */
  ready(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      for (const state of this.#states) this.#learn(state);
      this.#check();
    });
  }

  #join(state: SourceState, worker: RouterWorker): void {
    const { slot } = worker;
    const owner = this.#owners.get(slot);
    if (owner !== undefined && owner !== state) throw sharedSlot(slot);
    state.slots.add(slot);
    this.#owners.set(slot, state);
    this.#emit({ kind: 'joined', worker });
    if (worker.attached === false) this.#open(state, notAttached(slot));
  }

  /** Asks a source that starts its workers one by one when all have started. */
  #learn(state: SourceState): void {
    if (state.knowledge !== 'none') return;
    state.knowledge = 'asked';
    state.source.ready?.().then(
      () => {
        state.knowledge = 'all';
        this.#check();
      },
      (error) => {
        state.knowledge = 'none';
        const { code, cause } = Object(error) as { code?: unknown; cause?: unknown };
        if (code === 'ERR_CIRCUIT_OPEN') this.#open(state, cause ?? error);
        else this.#settle(({ reject }) => reject(error));
      },
    );
  }

  #open(state: SourceState, error: unknown): void {
    const isNew = state.circuit === undefined;
    state.circuit = { error };
    if (isNew) this.#emit({ kind: 'circuit-open', slots: [...state.slots], error });
    this.#check();
  }

  #check(): void {
    const queues = [...this.#queues];
    if (this.#states.every((state) => isServing(state, queues))) {
      this.#wereReady = true;
      this.#settle(({ resolve }) => resolve());
    }
    const { failed } = this;
    if (failed !== undefined)
      this.#settle(({ reject }) => reject(workersFailToStart(failed.error)));
  }

  #settle(settle: (waiter: Waiter) => void): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) settle(waiter);
  }
}

/** Returns whether each slot of a source has a worker that serves; of a source that does not name its slots, whether each worker does. */
function isServing(
  { source, slots, knowledge }: SourceState,
  queues: readonly WorkerQueue[],
): boolean {
  if (knowledge !== 'all') return false;
  const isLeaving = new Set(['retired', 'down']);
  const own = queues.filter(({ worker, state }) => slots.has(worker.slot) && !isLeaving.has(state));
  const serving = new Set(
    own.filter(({ state }) => state === 'ready').map(({ worker }) => worker.slot),
  );
  const needed = source.slots ?? own.map(({ worker }) => worker.slot);
  return needed.length > 0 && needed.every((slot) => serving.has(slot));
}

/** Makes the error for a worker that serves and claims no connections. */
function notAttached(slot: string): TypeError {
  return new TypeError(
    `Worker of slot \`${slot}\` must attach its server: \`clusterWorker({ server, attach: attachServer })\``,
  );
}
