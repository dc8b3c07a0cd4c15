import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Server as NetServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { answerFailure, hasBody, refuseSocket } from '../answers.ts';
import type { ProxiedAddresses } from '../contract/head.ts';
import type { ResolvedRouterOptions } from '../options/resolve-router-options.ts';
import type { ProxyReader } from '../reading/proxy-protocol/proxy-protocol.ts';
import { createProxiedServer } from './proxied-server.ts';
import { headBytesOf } from './request-head.ts';

// Not imported: docs/discoveries/what-an-import-of-node-http-loads.md
const { createServer } = process.getBuiltinModule('node:http');

/** Milliseconds that Node gives a whole request unless told otherwise. */
const REQUEST_TIMEOUT_MS = 300_000;

/** An option of Node from 22.21 and 24.9 on that its types do not have yet. */
interface UpgradeChoice {
  readonly shouldUpgradeCallback: (request: IncomingMessage) => boolean;
}

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
  /** For requests that must not be taken for upgrades, where Node would. */
  readonly #plain: Server;
  readonly #events: FrontEvents;
  readonly #addresses = new WeakMap<Socket, ProxiedAddresses>();
  readonly #sockets = new Set<Socket>();

  /** `createProxyReader`: when clients come by proxies that send PROXY headers. */
  constructor(
    options: ResolvedRouterOptions,
    events: FrontEvents,
    createProxyReader: (() => ProxyReader) | undefined,
  ) {
    this.#events = events;
    this.#http = this.#createHttp(options);
    this.#http.on('connection', (socket: Socket) => this.#accept(socket));
    this.#http.on('upgrade', (request, socket, early) => {
      if (hasBody(request)) this.#readPlain(request, socket as Socket, early);
      else events.upgrade(request, socket as Socket, early);
    });
    this.#plain = this.#createHttp(options);
    // Its timeouts begin with this event, and it will not listen.
    this.#plain.emit('listening');
    this.server =
      createProxyReader === undefined
        ? this.#http
        : this.#createProxied(options, createProxyReader);
    this.server.maxConnections = options.limits.pending;
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
    this.#plain.closeIdleConnections();
    for (const socket of this.#sockets) {
      // To Node, up to 24, one that has not said anything yet is about to.
      if (socket.bytesRead === 0) socket.destroy();
    }
  }

  destroy(): void {
    for (const socket of this.#sockets) socket.destroy();
    // They may not listen, but have timers.
    this.#http.close();
    this.#plain.close();
  }

  #createHttp({ limits: { headBytes, headTimeoutMs } }: ResolvedRouterOptions): Server {
    const options: ServerOptions & UpgradeChoice = {
      noDelay: true,
      maxHeaderSize: headBytes,
      headersTimeout: headTimeoutMs,
      requestTimeout: Math.max(REQUEST_TIMEOUT_MS, headTimeoutMs),
      connectionsCheckingInterval: Math.max(50, Math.min(1000, headTimeoutMs / 4)),
      // Its own answer would be empty; the head is read again, which refuses it with a body.
      requireHostHeader: false,
      shouldUpgradeCallback: (request) => request.method === 'CONNECT' || !hasBody(request),
    };
    const server = createServer(options, (request, response) => {
      this.#events.request(request, response);
    });
    server.on('checkExpectation', (_, response: ServerResponse) => {
      answerFailure(response, 417);
      this.#events.refused(417, 'expectation');
    });
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
      this.#refuse(error, socket as Socket);
    });
    return server;
  }

  /**
   * Node before 22.21 takes the body of a request that offers another protocol, as some clients do each time, for
   * bytes of that protocol. A server without upgrades reads such a request as any other.
   */
  #readPlain(request: IncomingMessage, socket: Socket, early: Buffer): void {
    socket.unshift(Buffer.concat([headBytesOf(request), early]));
    this.#plain.emit('connection', socket);
  }

  #createProxied(options: ResolvedRouterOptions, createProxyReader: () => ProxyReader): NetServer {
    // Its timeouts begin with this event, and it will not listen.
    this.#http.emit('listening');
    return createProxiedServer(this.#http, {
      createProxyReader,
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
    refuseSocket(socket, status);
    this.#events.refused(status, code);
  }
}

const STATUS_OF: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};
