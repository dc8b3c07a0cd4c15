import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Server as NetServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { refuseSocket } from '../../answers/refuse-socket.ts';
import type { ProxiedAddresses } from '../../contract/head.ts';
import type { ResolvedRouterOptions } from '../../options/resolve-router-options.ts';
import { createProxiedServer } from './proxied-server.ts';

/** Milliseconds that Node gives a whole request unless told otherwise. */
const REQUEST_TIMEOUT_MS = 300_000;

export interface FrontEvents {
  accepted(): void;
  request(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Socket, early: Buffer): void;
  /** A connection that came to no request; status 0 is a mere close. */
  refused(status: number, reason: string): void;
  /** No connection is left. */
  emptied(): void;
}

/** The HTTP server that clients see in mode `passthru`, with the router's limits. */
export class FrontServer {
  /** Listens: the HTTP server itself, or one that reads PROXY headers for it. */
  readonly server: NetServer;
  readonly #http: Server;
  readonly #events: FrontEvents;
  readonly #addresses = new WeakMap<Socket, ProxiedAddresses>();
  readonly #sockets = new Set<Socket>();

  constructor(options: ResolvedRouterOptions, events: FrontEvents) {
    const { headBytes, headTimeoutMs, pending } = options.limits;
    this.#events = events;
    this.#http = createServer(
      {
        noDelay: true,
        maxHeaderSize: headBytes,
        headersTimeout: headTimeoutMs,
        requestTimeout: Math.max(REQUEST_TIMEOUT_MS, headTimeoutMs),
        connectionsCheckingInterval: Math.max(50, Math.min(1000, headTimeoutMs / 4)),
      },
      (request, response) => events.request(request, response),
    );
    this.#http.on('connection', (socket: Socket) => this.#accept(socket));
    this.#http.on('upgrade', (request, socket, early) => {
      events.upgrade(request, socket as Socket, early);
    });
    this.#http.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
      this.#refuse(error, socket as Socket);
    });
    this.server = options.acceptsProxies ? this.#createProxied(options) : this.#http;
    this.server.maxConnections = pending;
    this.server.on('drop', () => events.refused(0, 'pending-full'));
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** What a PROXY header told of a connection. */
  addressesOf(socket: Socket): ProxiedAddresses | undefined {
    return this.#addresses.get(socket);
  }

  closeIdle(): void {
    this.#http.closeIdleConnections();
    for (const socket of this.#sockets) {
      // To Node, up to 24, one that has not said anything yet is about to.
      if (socket.bytesRead === 0) socket.destroy();
    }
  }

  destroy(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #createProxied(options: ResolvedRouterOptions): NetServer {
    // Its timeouts begin with this event, and it will not listen.
    this.#http.emit('listening');
    return createProxiedServer(this.#http, {
      isProxy: options.isProxy,
      timeoutMs: options.limits.headTimeoutMs,
      proxied: (socket, addresses) => this.#addresses.set(socket, addresses),
      refused: (reason) => this.#events.refused(0, reason),
    });
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    this.#events.accepted();
    socket.once('close', () => {
      this.#sockets.delete(socket);
      if (this.#sockets.size === 0) this.#events.emptied();
    });
  }

  #refuse({ code = '' }: NodeJS.ErrnoException, socket: Socket): void {
    // A client that has reset the connection gets no answer, and one that said nothing none either.
    if (!socket.writable || socket.bytesRead === 0) {
      socket.destroy();
      return;
    }
    const status = STATUS_OF[code] ?? 400;
    refuseSocket(socket, status, false);
    this.#events.refused(status, code);
  }
}

const STATUS_OF: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};
