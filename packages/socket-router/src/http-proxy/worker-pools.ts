import { Pool } from 'undici';

/** Connections to the unix sockets of workers, kept for further requests. */
export class WorkerPools {
  readonly #pools = new Map<string, Pool>();

  get(socketPath: string): Pool {
    let pool = this.#pools.get(socketPath);
    if (pool === undefined) {
      // No timeouts of its own: how long a worker may take is the worker's and the client's business.
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
