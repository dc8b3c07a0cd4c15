import type { EventEmitter } from 'node:events';
import type { ClusterEvents, Supervisor } from './supervisor.ts';

type Signalled = Pick<Supervisor, 'close' | 'ready' | 'reload'> & {
  readonly events: EventEmitter<ClusterEvents>;
};

/** Closes or reloads a cluster on signals of this process, until `remove()`. */
export class Signals {
  readonly #cluster: Signalled;
  #isStopped = false;

  constructor(cluster: Signalled) {
    this.#cluster = cluster;
    process.on('SIGTERM', this.#stop);
    process.on('SIGINT', this.#stop);
    process.on('SIGHUP', this.#reload);
  }

  remove(): void {
    process.off('SIGTERM', this.#stop);
    process.off('SIGINT', this.#stop);
    process.off('SIGHUP', this.#reload);
  }

  /** Resolves also when a signal has closed the cluster before it was ready. */
  async unlessStopped(ready: Promise<void>): Promise<void> {
    try {
      await ready;
    } catch (error) {
      if (!this.#isStopped) throw error;
    }
  }

  /** Further signals change nothing: for one Ctrl-C a terminal and npm each send one. */
  readonly #stop = (): void => {
    this.#isStopped = true;
    void this.#cluster.close();
  };

  /** A signal during the start takes effect when all workers serve. */
  readonly #reload = async (): Promise<void> => {
    try {
      await this.#cluster.ready();
      if (!this.#isStopped) await this.#cluster.reload();
    } catch (error) {
      if (!this.#isStopped) this.#cluster.events.emit('reload-failed', { error });
    }
  };
}
