import { createServer, type Server, type Socket } from 'node:net';
import { LinkedList } from '@ticketing/kit';
import {
  choose,
  finish,
  type HeldConnection,
  holdConnection,
  limit,
  read,
} from '../placing/held-connection.ts';
import { Placement } from '../placing/placement.ts';
import type { ConnectionEvent, WorkerQueue } from '../placing/worker-queue.ts';
import type { ProxyReader } from '../reading/proxy-protocol/proxy-protocol.ts';
import {
  type AnsweredClient,
  answerSocket,
  problem,
  type RouterAnswer,
} from '../server/answers.ts';
import { type HeldEvent, readConnection } from './connection-reader.ts';
import { countGone } from './count-gone.ts';
import { headOfConnection } from './head-of-connection.ts';
import {
  HeadSniffer,
  type OptionalReaders,
  type ReadHead,
  type SnifferOptions,
  UNREAD,
} from './head-sniffer.ts';
import type { Intake, IntakeDependencies } from './intake.ts';

/** Mode `socket`: reads a connection up to the end of its head, hands it to a worker, and closes its own copy. */
export class SocketIntake implements Intake {
  readonly server: Server;
  readonly #dependencies: IntakeDependencies;
  readonly #snifferOptions: SnifferOptions;
  readonly #createProxyReader: (() => ProxyReader) | undefined;
  readonly #isUnread: boolean;
  readonly #placement: Placement;
  readonly #held = new LinkedList<HeldConnection>();
  readonly #answered = new Set<Socket>();
  #lastId = 0;
  #finished: (() => void) | undefined;

  constructor(
    dependencies: IntakeDependencies,
    { createProxyReader, createHelloReader }: OptionalReaders,
  ) {
    const { options, workers } = dependencies;
    const { loadFactor, limits, protocol } = options;
    const { queuePerWorker, maxWaitMs, headBytes } = limits;
    this.#dependencies = dependencies;
    this.#snifferOptions = { protocol, headBytes, createHelloReader };
    this.#createProxyReader = createProxyReader;
    this.#isUnread = protocol === 'tcp';
    this.#placement = new Placement(workers, {
      loadFactor,
      queuePerWorker,
      maxWaitMs,
      refuse: (connection, reason) => this.#refuse(connection, 503, reason),
    });
    // Without a buffer of its own a socket reads once, when it is asked to: the worker reads what is not read here.
    this.server = createServer({
      highWaterMark: 0,
      pauseOnConnect: this.#isUnread,
      allowHalfOpen: true,
      noDelay: true,
    });
    this.server.on('connection', (socket) => this.#accept(socket));
  }

  workersChanged(): void {
    this.#placement.retry();
  }

  queueChanged(queue: WorkerQueue, event: ConnectionEvent): void {
    const { count, emit } = this.#dependencies;
    const { slot } = queue.worker;
    switch (event.kind) {
      case 'claimed':
        this.#claimed(event.connection, slot);
        break;
      case 'unclaimed': {
        const { connections, reason } = event;
        count('rerouted', connections.length);
        emit('rerouted', { slot, reason, connections: connections.length });
        for (const connection of connections) this.#placement.place(connection);
        break;
      }
      case 'gone':
        this.#drop(event.connection);
        break;
      case 'overdue':
        this.#refuse(event.connection, 503, 'queue-slow');
        break;
      case 'free':
        this.#placement.serve();
    }
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
      if (connection.stage.kind !== 'sent') this.#refuse(connection, 503, 'closing');
    }
  }

  destroy(): void {
    for (const connection of [...this.#held]) this.#drop(connection);
    for (const socket of this.#answered) socket.destroy();
  }

  stats(): { reading: number; waiting: number } {
    return { reading: this.#reading().length, waiting: this.#placement.waiting };
  }

  #accept(socket: Socket): void {
    const { count, options } = this.#dependencies;
    count('accepted');
    if (this.#held.size < options.limits.pending) {
      this.#lastId += 1;
      this.#hold(holdConnection(this.#lastId, socket));
    } else {
      this.#dependencies.refused(503, 'pending-full');
      this.#answer(socket, problem(503), { speaksTls: options.protocol === 'tls-sni' });
    }
  }

  #hold(connection: HeldConnection): void {
    const { limits, isProxy } = this.#dependencies.options;
    this.#held.add(connection);
    // A socket asks the system for its address.
    const isProxied = isProxy?.(connection.socket.remoteAddress);
    if (this.#isUnread && !isProxied) {
      read(connection, {});
      this.#place(connection, UNREAD);
      return;
    }
    const proxyReader = isProxied ? this.#createProxyReader?.() : undefined;
    readConnection(connection, {
      sniffer: new HeadSniffer(this.#snifferOptions, proxyReader),
      headTimeoutMs: limits.headTimeoutMs,
      emit: (event) => this.#heldChanged(connection, event),
    });
  }

  #heldChanged(connection: HeldConnection, event: HeldEvent): void {
    switch (event.kind) {
      case 'read':
        this.#place(connection, event.head);
        break;
      case 'refused':
        this.#refuse(connection, event.status, event.reason);
        break;
      case 'gone':
        this.#drop(connection);
    }
  }

  #reading(): HeldConnection[] {
    return [...this.#held].filter(({ stage }) => stage.kind === 'reading');
  }

  /** Gives a connection to the worker that its head decides, or answers it. */
  #place(connection: HeldConnection, head: ReadHead): void {
    const { options, decide, count } = this.#dependencies;
    const { socket, proxy } = connection;
    limit(connection, options.limits.maxWaitMs, () => this.#expire(connection));
    const decision = decide(() => headOfConnection(head, socket, proxy));
    if (decision.kind === 'refuse') {
      this.#refuse(connection, decision.status, decision.reason);
    } else if (decision.kind === 'answer') {
      count('answered');
      this.#answerHeld(connection, decision.answer);
    } else {
      choose(connection, decision);
      this.#placement.place(connection);
    }
  }

  #claimed(connection: HeldConnection, slot: string): void {
    this.#dependencies.handedOver(slot, 'connection', connection.arrivedAt);
    this.#letGo(connection);
    // The worker has its own copy: this one would hold a descriptor, and keep the connection open for ever.
    connection.socket.destroy();
  }

  #expire(connection: HeldConnection): void {
    const refuse = (): void => this.#refuse(connection, 503, 'worker-timeout');
    // A worker may have claimed it in time: timers run before messages are read, and it may be this process that was stopped.
    if (connection.stage.kind === 'sent') setImmediate(() => setImmediate(refuse));
    else refuse();
  }

  #refuse(connection: HeldConnection, status: number, reason: string): void {
    if (connection.stage.kind === 'done') return;
    if (status === 0) {
      this.#letGo(connection);
      connection.socket.destroy();
    } else {
      this.#answerHeld(connection, problem(status));
    }
    this.#dependencies.refused(status, reason);
  }

  /** Lets go of a connection whose client has left. */
  #drop(connection: HeldConnection): void {
    countGone(this.#dependencies, 'connection');
    this.#letGo(connection);
    connection.socket.destroy();
  }

  #answerHeld(connection: HeldConnection, answer: RouterAnswer): void {
    this.#letGo(connection);
    const { socket, speaksTls, bytes } = connection;
    const isHead = bytes.toString('latin1', 0, 5) === 'HEAD ';
    this.#answer(socket, answer, { speaksTls, isHead });
  }

  /** Answers a socket. Sockets that read their answer are limited in number as well; the rest are closed without one. */
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
    finish(connection);
    this.#held.delete(connection);
    if (this.#held.size === 0) this.#finished?.();
  }
}
