import { wholeBetween, wrongOption } from '@ticketing/kit';
import type { Dispatcher, RunOptions } from '../contract/dispatcher.ts';
import type { PoolOptions } from '../contract/pool-options.ts';
import type { InputOf, OutputOf, TaskMap } from '../contract/task.ts';
import type { Transport } from '../contract/transport.ts';
import { closed } from './calls/call-errors.ts';
import { Kernel } from './kernel.ts';
import { KernelDispatcher } from './kernel-dispatcher.ts';
import { MAX_WORKERS, resolvePoolOptions } from './resolve-pool-options.ts';
import type { PoolObserver } from './workers/pool-events.ts';
import { addSlots } from './workers/slots.ts';
import type { WorkerPool } from './workers/worker-pool.ts';

/** How each worker is asked: as of `run`, but for what chooses a worker. */
export type BroadcastOptions = Pick<
  RunOptions,
  'signal' | 'timeoutMs' | 'queueTimeoutMs' | 'runTimeoutMs' | 'priority' | 'metadata'
>;

/** Workers for those that do more with them than dispatch: whole servers, kept by the same kernel. */
export interface Pool<M extends TaskMap> {
  /** Owns the workers: its `close()` ends them. */
  readonly dispatcher: Dispatcher<M>;
  /**
   * Sets the number of workers, 1 to 1024, as `min` and `max`. Workers of surplus slots finish their calls and stop. Resolves
   * when `workers` are ready and the surplus ones have ended.
   *
   * @throws RangeError for another number; DispatchError `ERR_CIRCUIT_OPEN`, `ERR_CLOSED`
   */
  scale(workers: number): Promise<void>;
  /** A dispatcher over the same workers. Its `drain()` and `close()` concern its own calls; the workers stay. */
  lend(): Dispatcher<M>;
  /**
   * Runs a task once on every worker that takes tasks; each answer stands for itself. One that hangs is waited for, unless
   * `options` limit the time.
   *
   * @throws DispatchError `ERR_CLOSED`
   */
  broadcast<K extends keyof M & string>(
    task: K,
    input: InputOf<M, K>,
    options?: BroadcastOptions,
  ): Promise<PromiseSettledResult<OutputOf<M, K>>[]>;
  /**
   * Has a worker replaced: its successor serves before it is asked to stop, and it is killed if it does not in time. One
   * that is being replaced, or is gone, is left alone.
   */
  recycle(workerId: number): void;
  /** Has one observer told what becomes of workers, the latest given. */
  observe(observer: PoolObserver): void;
}

/**
 * Makes a pool over a transport. Starts `min` workers; the caller must call `dispatcher.close()`.
 *
 * @throws TypeError for a value of the wrong type or an unknown option, RangeError for one out of range
 */
export function createPool<M extends TaskMap>(
  transport: Transport,
  options: PoolOptions = {},
): Pool<M> {
  const resolved = resolvePoolOptions('create dispatcher', transport.kind, options);
  const kernel = new Kernel(transport, resolved);
  const owner = new KernelDispatcher(kernel);
  return {
    dispatcher: owner as Dispatcher<M>,
    async scale(workers) {
      const rule = wholeBetween(1, MAX_WORKERS);
      if (!rule.test(workers)) throw wrongOption('scale', 'workers', rule, workers);
      await resize(kernel.pool, resolved.name, workers);
    },
    async broadcast(task, input, options) {
      if (kernel.pool.isClosed) throw closed(resolved.name, task);
      const ready = kernel.pool.slots.filter(({ current }) => current?.state === 'ready');
      return Promise.allSettled(
        ready.map(({ index }) => kernel.run(task, input, options, { slot: index })),
      ) as Promise<PromiseSettledResult<never>[]>;
    },
    recycle(workerId) {
      const slot = kernel.pool.slots.find(({ current }) => current?.workerId === workerId);
      if (slot?.current !== undefined) kernel.upkeep.recycle(slot.current);
    },
    lend: () => new KernelDispatcher(kernel, owner) as Dispatcher<M>,
    observe: (observer) => {
      kernel.pool.events.observer = observer;
    },
  };
}

/**
 * Makes a dispatcher over a transport. Starts `min` workers; the caller must call `close()`.
 *
 * @throws TypeError for a value of the wrong type or an unknown option, RangeError for one out of range
 */
export function createDispatcher<M extends TaskMap>(
  transport: Transport,
  options: PoolOptions = {},
): Dispatcher<M> {
  return createPool<M>(transport, options).dispatcher;
}

/**
 * Gives a pool `count` slots, each with a worker. Workers of surplus slots finish their calls, then stop. Resolves when `count`
 * workers are ready and those of surplus slots have ended.
 *
 * @throws DispatchError `ERR_CIRCUIT_OPEN`, `ERR_CLOSED`
 */
async function resize(pool: WorkerPool, name: string, count: number): Promise<void> {
  if (pool.isClosed) throw closed(name);
  pool.min = count;
  const removed = pool.slots.splice(count);
  addSlots(pool.slots, count);
  const leaving = removed.flatMap((slot) => pool.vacate(slot));
  const gone = leaving.map(
    (worker) =>
      new Promise<void>((resolve) => {
        worker.onGone = resolve;
      }),
  );
  pool.fill();
  pool.tellReady();
  await Promise.all([pool.whenReady(), ...gone]);
}
