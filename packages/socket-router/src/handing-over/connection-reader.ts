import type { Socket } from 'node:net';
import type { ProxiedAddresses } from '../contract/head.ts';
import { ANY_WORKER, type Choice } from '../placing/decide.ts';
import { HeadSniffer, type ReadHead, type SnifferOptions } from '../reading/head-sniffer.ts';
import type { ProxyReader } from '../reading/proxy-protocol/proxy-protocol.ts';
import { monotonicMs } from '../wire/monotonic-clock.ts';

/** A connection that the router holds: from its arrival until a worker has taken it. */
export interface HeldConnection {
  readonly id: number;
  readonly socket: Socket;
  /** Bytes for the worker; while the head is read, the first of them. */
  bytes: Buffer;
  choice: Choice;
  /** When its head was read, on the machine's monotonic clock. */
  arrivedAt: number;
  /** Known when the head is read: such a client understands no HTTP answer. */
  speaksTls: boolean;
  proxy: ProxiedAddresses | undefined;
  /** Since when it has waited for workers that are ready, on the same clock; absent while no worker is. */
  waitsSince: number | undefined;
  /** How often it was sent to a worker. */
  attempts: number;
  /** Runs while it waits: for its head, then for a worker. */
  timer: NodeJS.Timeout | undefined;
  /** `sent`: to a worker that has not answered. */
  stage: 'reading' | 'waiting' | 'queued' | 'sent' | 'done';
}

export interface ConnectionReaderOptions extends SnifferOptions {
  readonly headTimeoutMs: number;
  /** Returns a reader for a connection that must begin with a PROXY header. */
  readonly proxyReaderFor: (socket: Socket) => ProxyReader | undefined;
}

export interface ConnectionReaderEvents {
  read(connection: HeldConnection, head: ReadHead): void;
  /** Status 0 closes without an answer. */
  refused(connection: HeldConnection, status: number, reason: string): void;
  /** It waited for a worker for too long. */
  overdue(connection: HeldConnection): void;
  /** The client left while its head was read. */
  gone(connection: HeldConnection): void;
}

/** Reads the heads of connections and no more: what follows the read that ends a head stays in the socket. */
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

  /** Starts to read a socket, whose server reads only on demand (`highWaterMark: 0`). */
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

  /** Must be called when a connection is no longer held. */
  forget(connection: HeldConnection): void {
    this.#reading.delete(connection);
  }

  /** Refuses connections that have sent nothing; the others keep their time for a head. */
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
        // One read of at most 64 KiB. When it returns nothing, it has ordered the next one.
        const chunk = socket.read() as Buffer | null;
        if (chunk === null) return;
        chunks.push(chunk);
        this.#push(connection, sniffer, chunks, chunk);
      }
    });
    const isSilent = (): boolean => chunks.length === 0 || sniffer.speaksTls;
    socket.on('end', () => {
      if (connection.stage !== 'reading') return;
      this.#events.refused(connection, isSilent() ? 0 : 400, 'head-cut-off');
    });
    // A client that resets the connection has left; in later stages the worker finds out.
    socket.on('error', () => {});
    socket.on('close', () => {
      if (connection.stage === 'reading') this.#events.gone(connection);
    });
    connection.timer = setTimeout(() => {
      if (connection.stage !== 'reading') return this.#events.overdue(connection);
      this.#events.refused(connection, isSilent() ? 0 : 408, 'head-timeout');
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
