import type { Socket } from 'node:net';
import { ANY_WORKER } from '../placing/decide.ts';
import { HeadSniffer, type ReadHead, type SnifferOptions } from '../reading/head-sniffer.ts';
import type { ProxyReader } from '../reading/proxy-protocol/proxy-protocol.ts';
import { monotonicMs } from '../wire/monotonic-clock.ts';
import type { HeldConnection } from './held-connection.ts';

export interface ConnectionReaderOptions extends SnifferOptions {
  readonly headTimeoutMs: number;
  /** Returns a reader for a connection that must begin with a PROXY header. */
  readonly proxyReaderFor: (socket: Socket) => ProxyReader | undefined;
}

export interface ConnectionReaderEvents {
  read(connection: HeldConnection, head: ReadHead): void;
  /** Status 0: a mere close. */
  refused(connection: HeldConnection, status: number, reason: string): void;
  /** It waited for a worker for too long. */
  overdue(connection: HeldConnection): void;
  /** The client left while its head was read. */
  gone(connection: HeldConnection): void;
}

/** Reads the heads of connections, and just those: whatever is behind the read that ends a head stays in the socket. */
export class ConnectionReader {
  readonly #options: ConnectionReaderOptions;
  readonly #events: ConnectionReaderEvents;
  readonly #reading = new Set<HeldConnection>();
  #lastId = 0;

  constructor(options: ConnectionReaderOptions, events: ConnectionReaderEvents) {
    this.#options = options;
    this.#events = events;
  }

  get reading(): number {
    return this.#reading.size;
  }

  /** Takes a socket of a server that reads no more than it is asked for (`highWaterMark: 0`). */
  receive(socket: Socket): HeldConnection {
    this.#lastId += 1;
    const connection: HeldConnection = {
      id: this.#lastId,
      socket,
      bytes: Buffer.alloc(0),
      choice: ANY_WORKER,
      arrivedAt: 0,
      speaksTls: false,
      proxy: undefined,
      waitsSince: undefined,
      attempts: 0,
      timer: undefined,
      stage: 'reading',
    };
    this.#reading.add(connection);
    this.#read(connection);
    return connection;
  }

  /** To be called when a connection is no longer held. */
  forget(connection: HeldConnection): void {
    this.#reading.delete(connection);
  }

  /** Ends the reading; connections of which nothing has come are closed, the others go on until their timeout. */
  closeSilent(): void {
    for (const connection of [...this.#reading]) {
      if (connection.bytes.length === 0) this.#events.refused(connection, 0, 'closing');
    }
  }

  #read(connection: HeldConnection): void {
    const { socket } = connection;
    const sniffer = new HeadSniffer(this.#options, this.#options.proxyReaderFor(socket));
    const chunks: Buffer[] = [];
    socket.on('readable', () => {
      while (connection.stage === 'reading') {
        // One read of at most 64 KiB; without a byte, the order for the next one.
        const chunk = socket.read() as Buffer | null;
        if (chunk === null) return;
        chunks.push(chunk);
        this.#push(connection, sniffer, chunks, chunk);
      }
    });
    socket.on('end', () => {
      if (connection.stage !== 'reading') return;
      const nothing = chunks.length === 0;
      this.#events.refused(connection, nothing || sniffer.speaksTls ? 0 : 400, 'head-cut-off');
    });
    // A client that resets the connection has left; in every later stage it is found by the worker.
    socket.on('error', () => {});
    socket.on('close', () => {
      if (connection.stage === 'reading') this.#events.gone(connection);
    });
    connection.timer = setTimeout(() => {
      if (connection.stage !== 'reading') return this.#events.overdue(connection);
      const silent = chunks.length === 0 || sniffer.speaksTls;
      this.#events.refused(connection, silent ? 0 : 408, 'head-timeout');
    }, this.#options.headTimeoutMs);
  }

  #push(
    connection: HeldConnection,
    sniffer: HeadSniffer,
    chunks: readonly Buffer[],
    chunk: Buffer,
  ): void {
    const sniffed = sniffer.push(chunk);
    connection.bytes = chunks[0] ?? chunk;
    if (sniffed.kind === 'refused')
      this.#events.refused(connection, sniffed.status, sniffed.reason);
    if (sniffed.kind !== 'read') return;
    this.#reading.delete(connection);
    connection.stage = 'waiting';
    connection.arrivedAt = monotonicMs();
    connection.timer?.refresh();
    const all = chunks.length === 1 ? chunk : Buffer.concat(chunks);
    connection.bytes = sniffer.proxyBytes === 0 ? all : all.subarray(sniffer.proxyBytes);
    connection.proxy = sniffer.proxy;
    connection.speaksTls = sniffer.speaksTls;
    this.#events.read(connection, sniffed.head);
  }
}
