import type { BroadcastOptions, BroadcastOutcome } from '../contract/dispatcher.ts';
import type { CallOwner, CallPlace } from './calls/call.ts';
import { closed, draining, unknownTask } from './calls/call-errors.ts';
import { checkBroadcastOptions } from './calls/check-run-options.ts';
import type { ResolvedPoolOptions } from './resolve-pool-options.ts';
import type { PoolWorker } from './workers/pool-worker.ts';
import type { WorkerPool } from './workers/worker-pool.ts';

type CallOptions = Omit<BroadcastOptions, 'later'>;

/** A broadcast that workers run which start later. */
interface Kept {
  readonly task: string;
  readonly input: unknown;
  readonly options: CallOptions;
  readonly owner: CallOwner | undefined;
}

/** What broadcasts need of the kernel. */
interface BroadcasterContext {
  readonly pool: WorkerPool;
  readonly options: ResolvedPoolOptions;
  readonly isDraining: boolean;
  /** The tasks of the worker that started last. */
  readonly tasks: ReadonlySet<string> | undefined;
  run(
    task: string,
    input: unknown,
    options: CallOptions & { readonly onWorker?: (workerId: number) => void },
    place: CallPlace,
  ): Promise<unknown>;
}

/** Runs tasks on every worker: on those that are ready now, and on those that start later as a part of their start. */
export class Broadcaster {
  readonly #context: BroadcasterContext;
  /** The latest of each task, in the order of the calls. */
  readonly #kept = new Map<string, Kept>();

  constructor(context: BroadcasterContext) {
    this.#context = context;
  }

  /** @throws TypeError or RangeError for wrong options; DispatchError `ERR_CLOSED`, `ERR_DRAINING`, `ERR_UNKNOWN_TASK` */
  async run(
    task: string,
    input: unknown,
    options: BroadcastOptions = {},
    owner?: CallOwner,
  ): Promise<BroadcastOutcome<unknown>[]> {
    checkBroadcastOptions(options);
    const { pool, tasks, isDraining } = this.#context;
    const { name } = this.#context.options;
    if (pool.isClosed) throw closed(name, task);
    if (isDraining) throw draining(name, task);
    if (tasks?.has(task) === false) throw unknownTask(name, task, tasks);
    const { later = false, ...callOptions } = options;
    if (later) this.#keep({ task, input, options: callOptions, owner });
    const ready = pool.slots.flatMap(({ current }) => (current?.state === 'ready' ? current : []));
    return Promise.all(
      ready.map(async ({ workerId, slot }) => {
        let by = workerId;
        const onWorker = (id: number): void => {
          by = id;
        };
        // Its successor runs a kept one as it starts, and would run it twice.
        const place = { owner, slot, only: later ? workerId : undefined };
        const call = this.#context.run(task, input, { ...callOptions, onWorker }, place);
        const [outcome] = await Promise.allSettled([call]);
        return { ...outcome, workerId: by, slot };
      }),
    );
  }

  /** Takes a worker in that can run tasks, once it has run what is kept; if that fails, its start does. */
  begin(worker: PoolWorker): void {
    if (this.#kept.size === 0) this.#context.pool.ready(worker);
    else void this.#prepare(worker);
  }

  /** Forgets what an owner had kept. */
  forget(owner: CallOwner): void {
    for (const { task, owner: of } of this.#kept.values())
      if (of === owner) this.#kept.delete(task);
  }

  #keep(broadcast: Kept): void {
    // The latest is the last in the order.
    this.#kept.delete(broadcast.task);
    this.#kept.set(broadcast.task, broadcast);
  }

  async #prepare(worker: PoolWorker): Promise<void> {
    const seen = new Set<Kept>();
    const next = (): Kept | undefined => [...this.#kept.values()].find((each) => !seen.has(each));
    for (let each = next(); each !== undefined; each = next()) {
      seen.add(each);
      const { task, input, options } = each;
      try {
        if (!this.#isOver(each))
          await this.#context.run(task, input, options, { starting: worker });
      } catch (error) {
        if (worker.state !== 'starting') return;
        if (this.#isOver(each)) continue;
        worker.startError ??= { error, final: false };
        this.#context.pool.kill(worker);
        return;
      }
    }
    // At once: a broadcast that is made from now on finds it ready.
    this.#context.pool.ready(worker);
  }

  /** Whether a broadcast is no longer kept: another one of its task is, or its signal has aborted. */
  #isOver(broadcast: Kept): boolean {
    const { task, options } = broadcast;
    if (this.#kept.get(task) !== broadcast) return true;
    if (!options.signal?.aborted) return false;
    this.#kept.delete(task);
    return true;
  }
}
