import type { ChildProcess } from 'node:child_process';
import { HeldPort, type HeldPortOptions } from './held-port.ts';
import { isPortMessage, type ToPort } from './port-messages.ts';

export interface PortStats {
  waitingConnections: number;
  droppedConnections: number;
  wedgedWorkers: number;
}

/** The ports that the workers of a cluster listen on: one, until a reload changes the program's address. */
export class HeldPorts {
  readonly #options: Omit<HeldPortOptions, 'listen'>;
  readonly #ports = new Map<string, HeldPort>();
  readonly #portOf = new Map<number, HeldPort>();
  /** The one that was asked for last. */
  #latest: HeldPort | undefined;
  #isClosed = false;
  /** Of ports that are closed. */
  readonly #past: PortStats = { waitingConnections: 0, droppedConnections: 0, wedgedWorkers: 0 };

  constructor(options: Omit<HeldPortOptions, 'listen'>) {
    this.#options = options;
  }

  stats(): PortStats {
    const stats = { ...this.#past };
    for (const { waiting, dropped, wedged } of this.#ports.values()) {
      stats.waitingConnections += waiting;
      stats.droppedConnections += dropped;
      stats.wedgedWorkers += wedged;
    }
    return stats;
  }

  /** Serves what this process asks for. */
  watch(workerId: number, child: ChildProcess): void {
    child.on('message', (message, handle) => {
      if (!isPortMessage(message)) this.#portOf.get(workerId)?.heard(workerId);
      else this.#hear(workerId, child, message as ToPort, handle);
    });
  }

  /** Another worker has taken its place. */
  retire(workerId: number): void {
    this.#portOf.get(workerId)?.retire(workerId);
  }

  /** The process has ended, and its last message was read. */
  drop(workerId: number): void {
    this.#portOf.get(workerId)?.drop(workerId);
    this.#portOf.delete(workerId);
    this.#closeDeserted();
  }

  /** Accepts no more. Resolves when each connection that waits was claimed, or after so many milliseconds. */
  async close(longestMs: number): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#ports.values()].map((port) => port.close(longestMs)));
  }

  #hear(workerId: number, child: ChildProcess, message: ToPort, handle: unknown): void {
    if (message.kind === 'listen') {
      if (this.#isClosed) return;
      const port = this.#at(message.options);
      this.#portOf.set(workerId, port);
      this.#latest = port;
      void port.join(workerId, child).then(() => this.#closeDeserted());
    } else {
      this.#portOf.get(workerId)?.hear(workerId, message, handle);
      if (message.kind === 'quit') this.#closeDeserted();
    }
  }

  #at(listen: HeldPortOptions['listen']): HeldPort {
    const key = JSON.stringify(listen);
    let port = this.#ports.get(key);
    if (port === undefined) {
      port = new HeldPort({ ...this.#options, listen });
      this.#ports.set(key, port);
    }
    return port;
  }

  /** The latest one stays open without workers: their successors will serve it. */
  #closeDeserted(): void {
    for (const [key, port] of this.#ports) {
      if (port === this.#latest || !port.isDeserted) continue;
      this.#ports.delete(key);
      this.#past.droppedConnections += port.dropped;
      this.#past.wedgedWorkers += port.wedged;
      void port.close(0);
    }
  }
}
