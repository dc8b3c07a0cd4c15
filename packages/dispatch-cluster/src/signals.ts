import type { EventEmitter } from 'node:events';
import type { ClusterEvents, Supervisor } from './supervisor.ts';

type Signalled = Pick<Supervisor, 'close' | 'ready' | 'reload' | 'state'> & {
  readonly events: EventEmitter<ClusterEvents>;
};

/** Closes or reloads a cluster on signals of this process, until `remove()`. */
export class Signals {
  readonly #cluster: Signalled;

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

  /** Closes the cluster, once: for one Ctrl-C a terminal and npm each send a signal. */
  readonly #stop = (): void => {
    void this.#cluster.close();
  };

  /** Reloads the cluster, during its start as soon as all workers serve. */
  readonly #reload = async (): Promise<void> => {
    try {
      await this.#cluster.ready();
      if (!this.#isClosing()) await this.#cluster.reload();
    } catch (error) {
      if (!this.#isClosing()) this.#cluster.events.emit('reload-failed', { error });
    }
  };

  #isClosing(): boolean {
    return this.#cluster.state === 'draining' || this.#cluster.state === 'closed';
  }
}
