import { wholeBetween, wrongOption } from '@ticketing/kit';
import type { Dispatcher } from '../contract/dispatcher.ts';
import type { PoolOptions } from '../contract/pool-options.ts';
import type { TaskMap } from '../contract/task.ts';
import type { Transport } from '../contract/transport.ts';
import { closed } from './errors.ts';
import { PoolDispatcher } from './face/dispatcher.ts';
import { createKernel } from './kernel.ts';
import { MAX_WORKERS, resolvePoolOptions } from './options.ts';
import type { PoolObserver } from './state/pool-events.ts';
import type { PoolState } from './state/pool-state.ts';
import { advance } from './steps/advance.ts';
import { recycle, resize, whenReady } from './steps/workers.ts';

/** The workers of a dispatcher, for programs whose workers do more than tasks, such as servers. */
export interface Pool<M extends TaskMap> {
  /** Dispatcher that owns the workers: its `close()` ends them. */
  readonly dispatcher: Dispatcher<M>;
  /**
   * Sets `min` and `max`, 1 to 1024. Surplus workers finish their calls and stop. Resolves when `workers` are ready and
   * the surplus ones have ended.
   *
   * @throws RangeError for another number; DispatchError `ERR_CIRCUIT_OPEN`, `ERR_CLOSED`
   */
  scale(workers: number): Promise<void>;
  /** Returns a dispatcher over the same workers. Its `drain()` and `close()` affect its own calls only; the workers stay. */
  lend(): Dispatcher<M>;
  /**
   * Replaces a worker: it is asked to stop once its successor is ready, and killed if it does not in time. Ignores a
   * worker that is being replaced, or is gone.
   */
  recycle(workerId: number): void;
  /** Sets the observer of worker events; the latest one replaces any other. */
  observe(observer: PoolObserver): void;
}

/**
 * Creates a pool over a transport. Starts `min` workers; the caller must call `dispatcher.close()`.
 *
 * @throws TypeError for a value of the wrong type or an unknown option, RangeError for one out of range
 */
export function createPool<M extends TaskMap>(
  transport: Transport,
  options: PoolOptions = {},
): Pool<M> {
  const resolved = resolvePoolOptions('create dispatcher', transport.kind, options);
  const pool = createKernel(transport, resolved);
  const owner = new PoolDispatcher(pool);
  return {
    dispatcher: owner as Dispatcher<M>,
    async scale(workers) {
      const rule = wholeBetween(1, MAX_WORKERS);
      if (!rule.test(workers)) throw wrongOption('scale', 'workers', rule, workers);
      await scale(pool, workers);
    },
    recycle(workerId) {
      const slot = pool.staff.slots.find(({ current }) => current?.workerId === workerId);
      if (slot?.current === undefined) return;
      // While no successor starts, later checks try again.
      slot.current.health.askRecycle();
      recycle(pool, slot.current);
    },
    lend: () => new PoolDispatcher(pool, owner) as Dispatcher<M>,
    observe: (observer) => {
      pool.staff.events.observer = observer;
    },
  };
}

/**
 * Creates a dispatcher over a transport. Starts `min` workers; the caller must call `close()`.
 *
 * @throws TypeError for a value of the wrong type or an unknown option, RangeError for one out of range
 */
export function createDispatcher<M extends TaskMap>(
  transport: Transport,
  options: PoolOptions = {},
): Dispatcher<M> {
  return createPool<M>(transport, options).dispatcher;
}

/** Gives a pool `count` slots, each with a worker, as described at {@link Pool.scale}. */
async function scale(pool: PoolState, count: number): Promise<void> {
  if (pool.phase === 'closed') throw closed(pool.options.name);
  const gone = resize(pool, count).map(
    (worker) =>
      new Promise<void>((resolve) => {
        worker.onGone = resolve;
      }),
  );
  advance(pool);
  await Promise.all([whenReady(pool), ...gone]);
}
