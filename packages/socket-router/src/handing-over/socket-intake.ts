import { createServer, type Server, type Socket } from 'node:net';
import { LinkedList } from '@ticketing/kit';
import { type AnsweredClient, answerSocket, problem, type RouterAnswer } from '../answers.ts';
import { type HeldConnection, holdConnection } from '../placing/held-connection.ts';
import type { Intake, IntakeDependencies } from '../placing/intake.ts';
import { Placement } from '../placing/placement.ts';
import type { UntakenReason, WorkerQueue } from '../placing/worker-queue.ts';
import { type OptionalReaders, type ReadHead, UNREAD } from '../reading/head-sniffer.ts';
import { headOf } from '../reading/head-views.ts';
import type { ProxyReader } from '../reading/proxy-protocol/proxy-protocol.ts';
import { monotonicMs } from '../wire/monotonic-clock.ts';
import { type ConnectionReaderOptions, readConnection } from './connection-reader.ts';

/** Mode `socket`: reads a connection up to the end of its head, hands it to a worker, and closes its own copy. */
export class SocketIntake implements Intake {
  readonly server: Server;
  readonly #dependencies: IntakeDependencies;
  readonly #createProxyReader: (() => ProxyReader) | undefined;
  readonly #readerOptions: ConnectionReaderOptions;
  readonly #isUnread: boolean;
  readonly #placement: Placement;
  readonly #held = new LinkedList<HeldConnection>();
  readonly #answered = new Set<Socket>();
  #finished: (() => void) | undefined;

  constructor(
    dependencies: IntakeDependencies,
    { createProxyReader, createHelloReader }: OptionalReaders,
  ) {
    const { options, workers } = dependencies;
    const { limits } = options;
    this.#dependencies = dependencies;
    this.#createProxyReader = createProxyReader;
    this.#isUnread = options.protocol === 'tcp';
    this.#placement = new Placement(workers, {
      loadFactor: options.loadFactor,
      queuePerWorker: limits.queuePerWorker,
      maxWaitMs: limits.maxWaitMs,
      refuse: (connection, reason) => this.#refuse(connection, 503, reason),
    });
    this.#readerOptions = {
      protocol: options.protocol,
      headBytes: limits.headBytes,
      headTimeoutMs: limits.headTimeoutMs,
      maxWaitMs: limits.maxWaitMs,
      createHelloReader,
      read: (connection, head) => this.#place(connection, head),
      refused: (connection, status, reason) => this.#refuse(connection, status, reason),
      overdue: (connection) => this.#timeout(connection),
      gone: (connection) => this.gone(connection),
    };
    // Without a buffer of its own a socket reads once, when it is asked to: the worker reads what is not read here.
    this.server = createServer(
      {
        highWaterMark: 0,
        pauseOnConnect: this.#isUnread,
        allowHalfOpen: true,
        noDelay: true,
      },
      (socket) => this.#accept(socket),
    );
  }

  workersChanged(): void {
    this.#placement.retry();
  }

  finish(): Promise<void> {
    for (const connection of this.#reading()) {
      // The others keep their time for a head.
      if (connection.bytes.length === 0) this.#refuse(connection, 0, 'closing');
    }
    return new Promise((resolve) => {
      this.#finished = resolve;
      if (this.#held.size === 0) resolve();
    });
  }

  refuseWaiting(): void {
    for (const connection of [...this.#held]) {
      if (connection.stage !== 'sent') this.#refuse(connection, 503, 'closing');
    }
  }

  destroy(): void {
    for (const connection of [...this.#held]) this.gone(connection);
    for (const socket of this.#answered) socket.destroy();
  }

  stats(): { reading: number; waiting: number } {
    return { reading: this.#reading().length, waiting: this.#placement.waiting };
  }

  taken(connection: HeldConnection, queue: WorkerQueue): void {
    this.#dependencies.handedOver(queue.worker.slot, 'connection', connection.arrivedAt);
    this.#letGo(connection);
    // The worker has its own copy: this one would hold a descriptor, and keep the connection open for ever.
    connection.socket.destroy();
  }

  untaken(untaken: HeldConnection[], queue: WorkerQueue, reason: UntakenReason): void {
    const { counts, emit } = this.#dependencies;
    counts.rerouted += untaken.length;
    emit('rerouted', { slot: queue.worker.slot, reason, connections: untaken.length });
    for (const connection of untaken) {
      // How long it waited for this worker does not show how slow the others are.
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
    this.#dependencies.counts.gone += 1;
    this.#letGo(connection);
    connection.socket.destroy();
  }

  #accept(socket: Socket): void {
    const { counts, options } = this.#dependencies;
    counts.accepted += 1;
    if (this.#held.size < options.limits.pending) {
      this.#hold(counts.accepted, socket);
    } else {
      this.#dependencies.refused(503, 'pending-full');
      this.#answer(socket, problem(503), { speaksTls: options.protocol === 'tls-sni' });
    }
  }

  #hold(id: number, socket: Socket): void {
    // A socket asks the system for its address.
    const isProxied = this.#dependencies.options.isProxy?.(socket.remoteAddress);
    if (!this.#isUnread || isProxied) {
      const proxyReader = isProxied ? this.#createProxyReader?.() : undefined;
      this.#held.add(readConnection(id, socket, proxyReader, this.#readerOptions));
      return;
    }
    const connection = holdConnection(id, socket);
    connection.arrivedAt = monotonicMs();
    this.#held.add(connection);
    const { maxWaitMs } = this.#dependencies.options.limits;
    connection.timer = setTimeout(() => this.#timeout(connection), maxWaitMs);
    this.#place(connection, UNREAD);
  }

  #reading(): HeldConnection[] {
    return [...this.#held].filter(({ stage }) => stage === 'reading');
  }

  #place(connection: HeldConnection, head: ReadHead): void {
    const { socket, proxy } = connection;
    const decision = this.#dependencies.decide(() => headOf(head, socket, proxy));
    if (decision.kind === 'refuse') {
      this.#refuse(connection, decision.status, decision.reason);
    } else if (decision.kind === 'answer') {
      this.#dependencies.counts.answered += 1;
      this.#answerHeld(connection, decision.answer);
    } else {
      connection.choice = decision;
      this.#placement.place(connection);
    }
  }

  #timeout(connection: HeldConnection): void {
    const refuse = (): void => this.#refuse(connection, 503, 'worker-timeout');
    // A worker may have claimed it in time: timers run before messages are read, and it may be this process that was stopped.
    if (connection.stage === 'sent') setImmediate(() => setImmediate(refuse));
    else refuse();
  }

  #refuse(connection: HeldConnection, status: number, reason: string): void {
    if (connection.stage === 'done') return;
    if (status === 0) {
      this.#letGo(connection);
      connection.socket.destroy();
    } else {
      this.#answerHeld(connection, problem(status));
    }
    this.#dependencies.refused(status, reason);
  }

  #answerHeld(connection: HeldConnection, answer: RouterAnswer): void {
    this.#letGo(connection);
    const { socket, speaksTls, bytes } = connection;
    const isHead = bytes.toString('latin1', 0, 5) === 'HEAD ';
    this.#answer(socket, answer, { speaksTls, isHead });
  }

  /** Sockets that read their answer are limited in number as well; the rest are closed without one. */
  #answer(socket: Socket, answer: RouterAnswer, client: AnsweredClient): void {
    // What its protocol's answer would be is not known.
    if (this.#isUnread) socket.destroy();
    else if (this.#answered.size < this.#dependencies.options.limits.pending) {
      this.#answered.add(socket);
      socket.once('close', () => this.#answered.delete(socket));
      answerSocket(socket, answer, client);
    } else {
      socket.destroy();
    }
  }

  #letGo(connection: HeldConnection): void {
    this.#placement.leave(connection);
    connection.stage = 'done';
    clearTimeout(connection.timer);
    this.#held.delete(connection);
    if (this.#held.size === 0) this.#finished?.();
  }
}
