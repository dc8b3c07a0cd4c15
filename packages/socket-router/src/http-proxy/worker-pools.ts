import { Pool } from 'undici';

/** Keep-alive connections to the unix sockets of workers. */
export class WorkerPools {
  readonly #pools = new Map<string, Pool>();

  get(socketPath: string): Pool {
    let pool = this.#pools.get(socketPath);
    if (pool === undefined) {
      // No timeouts: the worker and the client decide how long an answer may take.
      pool = new Pool('http://worker', {
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
