import type { ChildProcess } from 'node:child_process';
import { HeldPort, type HeldPortOptions } from './held-port.ts';
import { isPortMessage, type ToPort } from './port-messages.ts';

/** Counts of all ports of a cluster. */
export interface PortStats {
  waitingConnections: number;
  droppedConnections: number;
  wedgedWorkers: number;
}

/** Ports on which the workers of a cluster listen: one, until a reload changes the program's address. */
export class HeldPorts {
  readonly #options: Omit<HeldPortOptions, 'listen'>;
  readonly #ports = new Map<string, HeldPort>();
  readonly #portOf = new Map<number, HeldPort>();
  /** Port that a worker has asked for last. */
  #latest: HeldPort | undefined;
  #isClosed = false;
  /** Counts of closed ports. */
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

  /** Serves the ports that a worker asks for. */
  watch(workerId: number, child: ChildProcess): void {
    child.on('message', (message, handle) => {
      if (!isPortMessage(message)) this.#portOf.get(workerId)?.heard(workerId);
      else this.#hear(workerId, child, message as ToPort, handle);
    });
  }

  /** Stops handing connections to a worker whose successor serves. */
  retire(workerId: number): void {
    this.#portOf.get(workerId)?.retire(workerId);
  }

  /** Removes a worker whose process has ended and whose last message was read. */
  drop(workerId: number): void {
    this.#portOf.get(workerId)?.drop(workerId);
    this.#portOf.delete(workerId);
    this.#closeDeserted();
  }

  /** Stops accepting. Resolves when every waiting connection was claimed, or after `longestMs`. */
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

  /** Closes ports without workers, except the latest one: successors of the workers will serve it. */
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
