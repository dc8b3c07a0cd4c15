import type { Dispatcher, PoolOptions, TaskMap } from '@ticketing/dispatch';
import { createDispatcher, resolvePoolOptions } from '@ticketing/dispatch/transport';
import { createPrimaryTransport, type PrimaryLink } from './primary-transport.ts';

/** How a worker has tasks run in the primary; as of every pool. */
export type PrimaryDispatcherOptions = Pick<
  PoolOptions,
  | 'name'
  | 'window'
  | 'maxQueue'
  | 'maxWaitMs'
  | 'abortGraceMs'
  | 'startTimeoutMs'
  | 'restart'
  | 'clock'
>;

const ACTION = 'create primary dispatcher';
const notHere: readonly string[] = [
  ...['min', 'max', 'stopGraceMs', 'healthMs', 'idleTimeoutMs', 'recycle', 'random'],
];

/**
 * Creates, in a worker, a dispatcher whose tasks run in the primary: the `primaryTasks` of `startCluster`, of which there
 * is one for all workers of the machine. The primary gives connections to workers, so tasks there should wait and not
 * compute; one that crashes it takes the cluster along. A worker that ends has its tasks aborted. Close it.
 *
 * @throws TypeError or RangeError for options, and in a process that is no worker of a cluster
 * @example
 * const primary = primaryDispatcher<PrimaryTasks>();
 * const offers = await primary.run('search', { from: 'A', to: 'B' }, { signal });
 */
export function primaryDispatcher<M extends TaskMap>(
  options: PrimaryDispatcherOptions = {},
): Dispatcher<M> {
  // As it is before a task can replace it.
  const send = process.send?.bind(process);
  if (send === undefined) {
    throw new TypeError(`Cannot ${ACTION}: a worker of a cluster expected, got another process`);
  }
  const unknown = notHere.find((name) => Object.hasOwn(Object(options), name));
  if (unknown !== undefined) {
    throw new TypeError(
      `Cannot ${ACTION}: option ${unknown} is of no use in a worker of a cluster`,
    );
  }
  const settings = {
    // A primary that is busy for long answers late, and there is no other.
    healthMs: 60_000,
    ...options,
    name: options.name ?? 'primary',
    max: 1,
  };
  resolvePoolOptions(ACTION, 'primary', settings);
  const channel: PrimaryLink = {
    pid: process.ppid,
    // With a callback a channel that has closed is no error: `disconnect` ends this process.
    send: (message) => void send(message, undefined, undefined, () => {}),
    listen(listener) {
      process.on('message', listener);
      return () => process.off('message', listener);
    },
  };
  return createDispatcher<M>(createPrimaryTransport(channel), settings);
}
