/// <reference path="./undici-pool.d.ts" />
import type { Pool } from 'undici';

/** The constructor of a pool, and nothing else of undici. */
export type PoolClass = typeof Pool;

/**
 * Loads the part of undici that sends requests: 2 MB of heap, where all of it has 6, which each body that a process reads
 * would cost again. The file's place is no promise of undici: from a version that has moved it, all is loaded.
 *
 * @see docs/discoveries/bodies-cost-the-whole-heap.md
 */
export async function loadPoolClass(): Promise<PoolClass> {
  try {
    return (await import('undici/lib/dispatcher/pool.js')).default;
  } catch {
    return (await import('undici')).Pool;
  }
}

/** Keep-alive connections to the unix sockets of workers. */
export class WorkerPools {
  readonly #PoolClass: PoolClass;
  readonly #pools = new Map<string, Pool>();

  constructor(poolClass: PoolClass) {
    this.#PoolClass = poolClass;
  }

  get(socketPath: string): Pool {
    let pool = this.#pools.get(socketPath);
    if (pool === undefined) {
      // No timeouts: the worker and the client decide how long an answer may take.
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
      // Requests to a process that is gone fail by themselves.
      pool.close().catch(() => {});
    }
  }

  async destroy(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }
}
