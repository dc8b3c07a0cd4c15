import { createServer, type Server, type Socket } from 'node:net';
import { type RefusedClient, refuseSocket } from '../answers.ts';
import type { ResolvedRouterOptions } from '../options/resolve-router-options.ts';
import { decide } from '../placing/decide.ts';
import { Placement } from '../placing/placement.ts';
import type { ConnectionEvents, UntakenReason, WorkerQueue } from '../placing/worker-queue.ts';
import type { OptionalReaders, ReadHead } from '../reading/head-sniffer.ts';
import { headOf } from '../reading/head-views.ts';
import type { Intake, IntakeParts, RouterCounts } from '../router/intake.ts';
import type { RouterEmitter } from '../router/router-emitter.ts';
import { ConnectionReader } from './connection-reader.ts';
import type { HeldConnection } from './held-connection.ts';

/** Mode `socket`: a connection is read up to its head, given to a worker, and closed here. */
export class SocketIntake implements Intake, ConnectionEvents {
  readonly server: Server;
  readonly #options: ResolvedRouterOptions;
  readonly #counts: RouterCounts;
  readonly #emitter: RouterEmitter;
  readonly #reader: ConnectionReader;
  readonly #placement: Placement;
  readonly #held = new Set<HeldConnection>();
  readonly #refused = new Set<Socket>();
  #finished: (() => void) | undefined;

  constructor(
    { options, workers, counts, emitter }: IntakeParts,
    { createProxyReader, createHelloReader }: OptionalReaders,
  ) {
    const { limits } = options;
    this.#options = options;
    this.#counts = counts;
    this.#emitter = emitter;
    this.#placement = new Placement(workers, {
      loadFactor: options.loadFactor,
      queuePerWorker: limits.queuePerWorker,
      maxWaitMs: limits.maxWaitMs,
      refuse: (connection, reason) => this.#refuse(connection, 503, reason),
    });
    this.#reader = new ConnectionReader(
      {
        protocol: options.protocol,
        headBytes: limits.headBytes,
        headTimeoutMs: limits.headTimeoutMs,
        createHelloReader,
        proxyReaderFor: ({ remoteAddress }) =>
          createProxyReader !== undefined && options.isProxy(remoteAddress)
            ? createProxyReader()
            : undefined,
      },
      {
        read: (connection, head) => this.#decide(connection, head),
        refused: (connection, status, reason) => this.#refuse(connection, status, reason),
        overdue: (connection) => this.#timeout(connection),
        gone: (connection) => this.gone(connection),
      },
    );
    // Without a buffer of its own a socket reads when it is asked to, once: what is not read here the worker reads.
    this.server = createServer({ highWaterMark: 0, allowHalfOpen: true, noDelay: true }, (socket) =>
      this.#accept(socket),
    );
  }

  workersChanged(): void {
    this.#placement.retry();
  }

  finish(): Promise<void> {
    this.#reader.closeSilent();
    return new Promise((resolve) => {
      this.#finished = resolve;
      if (this.#held.size === 0) resolve();
    });
  }

  refuseWaiting(): void {
    for (const connection of [...this.#held]) {
      if (connection.stage !== 'given') this.#refuse(connection, 503, 'closing');
    }
  }

  destroy(): void {
    for (const connection of [...this.#held]) this.gone(connection);
    for (const socket of this.#refused) socket.destroy();
  }

  stats(): { reading: number; waiting: number } {
    return { reading: this.#reader.reading, waiting: this.#placement.waiting };
  }

  taken(connection: HeldConnection): void {
    this.#counts.handedOver += 1;
    this.#letGo(connection);
    // The worker has its own copy: this one would hold a descriptor, and keep the connection open for ever.
    connection.socket.destroy();
  }

  untaken(connections: HeldConnection[], queue: WorkerQueue, reason: UntakenReason): void {
    this.#counts.rerouted += connections.length;
    this.#emitter.emit('rerouted', {
      slot: queue.worker.slot,
      reason,
      connections: connections.length,
    });
    for (const connection of connections) {
      // The wait for another worker begins now.
      connection.waitsSince = undefined;
      this.#placement.place(connection);
    }
  }

  overdue(connection: HeldConnection): void {
    this.#refuse(connection, 503, 'queue-slow');
  }

  free(): void {
    this.#placement.serve();
  }

  gone(connection: HeldConnection): void {
    this.#counts.gone += 1;
    this.#letGo(connection);
    connection.socket.destroy();
  }

  #accept(socket: Socket): void {
    this.#counts.accepted += 1;
    if (this.#held.size < this.#options.limits.pending) {
      this.#held.add(this.#reader.receive(socket));
    } else {
      this.#count(503, 'pending-full');
      this.#answer(socket, 503, { speaksTls: this.#options.protocol === 'tls-sni' });
    }
  }

  #decide(connection: HeldConnection, read: ReadHead): void {
    const decision = decide(this.#options.route, () =>
      headOf(read, connection.socket, connection.proxy),
    );
    if (decision.kind === 'refuse') {
      this.#refuse(connection, decision.status, decision.reason);
    } else {
      connection.choice = decision.choice;
      this.#placement.place(connection);
    }
  }

  #timeout(connection: HeldConnection): void {
    // One that is under way is the claim timeout's.
    if (connection.stage === 'given') connection.timer?.refresh();
    else this.#refuse(connection, 503, 'worker-timeout');
  }

  #refuse(connection: HeldConnection, status: number, reason: string): void {
    if (connection.stage === 'done') return;
    this.#letGo(connection);
    const { socket, speaksTls, bytes } = connection;
    this.#answer(socket, status, { speaksTls, isHead: bytes.toString('latin1', 0, 5) === 'HEAD ' });
    this.#count(status, reason);
  }

  /** Those who read their answer are bounded as well; the others are closed without one. */
  #answer(socket: Socket, status: number, client: RefusedClient): void {
    if (this.#refused.size < this.#options.limits.pending) {
      this.#refused.add(socket);
      socket.once('close', () => this.#refused.delete(socket));
      refuseSocket(socket, status, client);
    } else {
      socket.destroy();
    }
  }

  #count(status: number, reason: string): void {
    this.#counts.refused += 1;
    this.#emitter.emit('refused', { status, reason });
  }

  #letGo(connection: HeldConnection): void {
    this.#reader.forget(connection);
    this.#placement.leave(connection);
    connection.stage = 'done';
    clearTimeout(connection.timer);
    this.#held.delete(connection);
    if (this.#held.size === 0) this.#finished?.();
  }
}
