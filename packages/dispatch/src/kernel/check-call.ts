import type { RunOptions } from '../contract/run-options.ts';
import type { Transport } from '../contract/transport.ts';
import { circuitOpen, closed, draining, unknownTask } from './call-errors.ts';
import { checkRunOptions } from './check-run-options.ts';
import type { ResolvedPoolOptions } from './resolve-pool-options.ts';
import type { WorkerPool } from './worker-pool.ts';

/** What decides whether a call is taken, besides room. */
export interface CallTaker {
  readonly transport: Transport;
  readonly options: ResolvedPoolOptions;
  readonly pool: WorkerPool;
  readonly isDraining: boolean;
  /** Undefined until a worker has said which there are. */
  readonly tasks: ReadonlySet<string> | undefined;
}

/** @throws TypeError or RangeError for wrong use, or why a call is not taken now */
export function checkCall(taker: CallTaker, task: string, options: RunOptions | undefined): void {
  const { transport, pool, tasks } = taker;
  const { name } = taker.options;
  if (typeof task !== 'string') {
    throw new TypeError(`Cannot run task: a name expected, got ${typeof task}`);
  }
  if (options !== undefined) {
    checkRunOptions(options, transport.capabilities.transfer, transport.kind);
  }
  if (pool.isClosed) throw closed(name, task);
  if (taker.isDraining) throw draining(name, task);
  if (tasks?.has(task) === false) throw unknownTask(name, task, tasks);
  if (pool.isBroken) throw circuitOpen(name, pool.circuit.lastError, task);
}
