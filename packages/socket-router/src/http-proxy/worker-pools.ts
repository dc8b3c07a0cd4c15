import type { Pool } from 'undici';

type PoolClass = typeof Pool;

/**
 * Loads undici, where it is needed only: in a process that reads bodies each megabyte of heap makes all the collections
 * of their buffers longer, and a worker of mode `socket` has no use for it.
 */
export async function createWorkerPools(): Promise<WorkerPools> {
  // Its names are found on the default export alone once a bundler has had it.
  const { Pool } = (await import('undici')).default;
  return new WorkerPools(Pool);
}

/** Connections to the unix sockets of workers, kept for further requests. */
export class WorkerPools {
  readonly #pools = new Map<string, Pool>();
  readonly #PoolClass: PoolClass;

  constructor(poolClass: PoolClass) {
    this.#PoolClass = poolClass;
  }

  get(socketPath: string): Pool {
    let pool = this.#pools.get(socketPath);
    if (pool === undefined) {
      // No timeouts of its own: how long a worker may take is the worker's and the client's business.
      pool = new this.#PoolClass('http://worker', {
        socketPath,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      this.#pools.set(socketPath, pool);
    }
    return pool;
  }

  /** Closes the pools of all other sockets. */
  keep(paths: ReadonlySet<string | undefined>): void {
    for (const [socketPath, pool] of this.#pools) {
      if (paths.has(socketPath)) continue;
      this.#pools.delete(socketPath);
      // What still waits for an answer of a process that is gone has failed by itself.
      pool.close().catch(() => {});
    }
  }

  async destroy(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }
}
