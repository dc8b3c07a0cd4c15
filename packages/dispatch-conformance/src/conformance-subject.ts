import type { Capabilities, Dispatcher, PoolOptions } from '@ticketing/dispatch';
import type { ConformanceTasks } from './conformance-task-map.ts';

/** Makes a dispatcher over the tasks of a module; what it rejects with is that of the dispatcher's own creation. */
export type CreateDispatcher = (
  module: URL,
  options: PoolOptions,
) => Dispatcher<ConformanceTasks> | Promise<Dispatcher<ConformanceTasks>>;

/** A kind of dispatcher whose promises are to be proved. */
export interface ConformanceSubject {
  readonly kind: string;
  /** As of the dispatchers that `create` makes. Cases that need more are skipped. */
  readonly capabilities: Capabilities;
  readonly create: CreateDispatcher;
  /** Whether its workers give back calls that they have not begun. Default: no, and cases of that are skipped. */
  readonly reclaims?: boolean;
  /** Makes one whose workers have a heap of some 64 MB. Without it the case that exhausts the memory is skipped. */
  readonly createWithSmallHeap?: CreateDispatcher;
  /**
   * Milliseconds that a case may take, a guard against hanging and no part of any promise: a busy machine starts processes
   * slowly. Default 50,000; a fifth of it is for what a closed dispatcher leaves.
   */
  readonly longestMs?: number;
}
