import { leave } from './leave.ts';

/** Whom a departure can talk to. */
export interface Departing {
  readonly workerId: number;
  send(message: object): void;
}

/**
 * The end of all servers of a cluster, while tasks go on: requests in flight may need tasks that other workers run. Ends
 * when the last server has left.
 */
export class Departure {
  readonly #pending = new Set<number>();
  #end: () => void = () => {};

  /** Has these workers leave, and resolves when they have, or after so many milliseconds. */
  async begin(workers: readonly Departing[], longestMs: number): Promise<void> {
    for (const worker of workers) this.join(worker);
    if (this.#pending.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#end = resolve;
      timer = setTimeout(resolve, longestMs);
    });
    clearTimeout(timer);
  }

  /** One more worker has begun to serve. */
  join({ workerId, send }: Departing): void {
    this.#pending.add(workerId);
    send(leave);
  }

  /** A worker has left, or has ended. */
  left(workerId: number): void {
    if (this.#pending.delete(workerId) && this.#pending.size === 0) this.#end();
  }
}
