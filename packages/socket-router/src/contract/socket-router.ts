import type { AddressInfo, ListenOptions } from 'node:net';
import type { RouterEvents } from './router-events.ts';
import type { RouterStats } from './router-stats.ts';

/** Accepts connections and gives them to workers. */
export interface SocketRouter extends AsyncDisposable {
  /**
   * Listens; connections wait until a worker is ready. Once in a router's life.
   *
   * @throws RouterError `ERR_STATE`, or the platform's error, such as `EADDRINUSE`
   */
  listen(options: ListenOptions): Promise<AddressInfo>;
  /**
   * Stops listening, gives what has arrived to workers, and lets them finish what they answer. What is left after
   * `graceMs` milliseconds (default 10,000) is cut off. Then the source's processes end. A second call joins the first.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
  stats(): RouterStats;
  on<E extends keyof RouterEvents>(event: E, listener: (data: RouterEvents[E]) => void): this;
  off<E extends keyof RouterEvents>(event: E, listener: (data: RouterEvents[E]) => void): this;
}
