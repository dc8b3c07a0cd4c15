import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import { createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ProxiedAddresses } from '../contract/head.ts';
import type { ResolvedRouterOptions } from '../options/router-options.ts';
import { headBytesOf } from '../reading/http/head-text.ts';
import type { ProxyReader } from '../reading/proxy-protocol/proxy-protocol.ts';
import { hasBody, problem, type RouterAnswer } from '../server/answers.ts';
import { limitPipelined } from '../server/limit-pipelined.ts';
import { ClientConnections } from './client-connections.ts';
import { readProxyHeader } from './read-proxy-header.ts';

// Not imported: docs/discoveries/what-an-import-of-node-http-loads.md
const { createServer } = process.getBuiltinModule('node:http');

/** Milliseconds for a whole request: Node's own default. */
const REQUEST_TIMEOUT_MS = 300_000;

/** Statuses for the errors of Node's parser; 400 for all others. */
const STATUS_OF: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** The error for bytes behind a request that closes the connection. */
const BEHIND_LAST = 'HPE_CLOSED_CONNECTION';

/** An option of Node from 22.21 and 24.9 on that its types do not have yet. */
interface UpgradeChoice {
  readonly shouldUpgradeCallback: (request: IncomingMessage) => boolean;
}

/** Change of the front server. */
export type FrontEvent =
  | { readonly kind: 'accepted' }
  | RequestEvent
  | UpgradeEvent
  /** A connection ended without a request; status 0 closes without an answer. */
  | { readonly kind: 'refused'; readonly status: number; readonly reason: string }
  /** The last open connection has closed. */
  | { readonly kind: 'emptied' };

export interface RequestEvent {
  readonly kind: 'request';
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface UpgradeEvent {
  readonly kind: 'upgrade';
  readonly request: IncomingMessage;
  readonly socket: Socket;
  /** Bytes behind the request. */
  readonly early: Buffer;
}

export interface FrontServerOptions extends Pick<ResolvedRouterOptions, 'limits' | 'isProxy'> {
  readonly emit: (event: FrontEvent) => void;
  /** Present when clients come through proxies that send PROXY headers. */
  readonly createProxyReader: (() => ProxyReader) | undefined;
}

/** The HTTP server that clients connect to in mode `passthru`, with the router's limits. */
export class FrontServer {
  /** Listens: the HTTP server itself, or a server that reads PROXY headers for it. */
  readonly server: NetServer;
  readonly #http: Server;
  /** Reads requests that Node before 22.21 would take for upgrades, as plain requests. */
  readonly #plain: Server;
  readonly #options: FrontServerOptions;
  readonly #addresses = new WeakMap<Socket, ProxiedAddresses>();
  readonly #clients = new ClientConnections();

  constructor(options: FrontServerOptions) {
    this.#options = options;
    this.#http = this.#createHttp();
    this.#http.on('connection', (socket: Socket) => this.#accept(socket));
    this.#http.on('upgrade', (request, socket: Socket, early) =>
      this.#upgrade({ kind: 'upgrade', request, socket, early }),
    );
    this.#plain = this.#createHttp();
    // A server that does not listen starts its timeouts with this event.
    this.#plain.emit('listening');
    const { createProxyReader } = options;
    this.server =
      createProxyReader === undefined ? this.#http : this.#createProxied(createProxyReader);
    this.server.maxConnections = options.limits.pending;
    this.server.on('drop', () => this.#refused(0, 'pending-full'));
  }

  get connections(): number {
    return this.#clients.size;
  }

  /** Returns the addresses that a PROXY header gave for a connection. */
  addressesOf(socket: Socket): ProxiedAddresses | undefined {
    return this.#addresses.get(socket);
  }

  /** Sends an answer of the router itself, which closes the connection. */
  answer(response: ServerResponse, answer: RouterAnswer): void {
    this.#clients.answer(response, answer);
  }

  /** Returns whether a connection can end with an answer; then no further request on it is processed. */
  endsWith(response: ServerResponse): boolean {
    return this.#clients.ends(response);
  }

  closeIdle(): void {
    this.#http.closeIdleConnections();
    this.#plain.closeIdleConnections();
    for (const socket of this.#clients.sockets()) {
      // Node up to 24 counts a connection that has sent nothing as busy.
      if (socket.bytesRead === 0) socket.destroy();
    }
  }

  destroy(): void {
    for (const socket of this.#clients.sockets()) socket.destroy();
    // Stops their timers, also when they do not listen.
    this.#http.close();
    this.#plain.close();
  }

  #createHttp(): Server {
    const { headBytes, headTimeoutMs } = this.#options.limits;
    const options: ServerOptions & UpgradeChoice = {
      noDelay: true,
      maxHeaderSize: headBytes,
      headersTimeout: headTimeoutMs,
      requestTimeout: Math.max(REQUEST_TIMEOUT_MS, headTimeoutMs),
      connectionsCheckingInterval: Math.max(50, Math.min(1000, headTimeoutMs / 4)),
      // Node's own refusal has no body; `readAgain` refuses such a request with one.
      requireHostHeader: false,
      shouldUpgradeCallback: (request) => request.method === 'CONNECT' || !hasBody(request),
    };
    const server = createServer(options, (request, response) => {
      if (!this.#clients.begins(request, response)) return;
      this.#options.emit({ kind: 'request', request, response });
    });
    limitPipelined(server);
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      if (!this.#clients.begins(request, response)) return;
      this.answer(response, problem(417));
      this.#refused(417, 'expectation');
    });
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
      this.#refuse(error, socket as Socket);
    });
    return server;
  }

  #upgrade(event: UpgradeEvent): void {
    const { request, socket } = event;
    // Its socket is no longer the server's, so no answer would wait for those before it.
    if (!this.#clients.mayUpgrade(socket)) this.#refuse({ code: 'upgrade-behind-request' }, socket);
    else if (hasBody(request)) this.#readPlain(event);
    else this.#options.emit(event);
  }

  /**
   * Node before 22.21 takes the body of a request that offers another protocol, as some clients always do, for bytes of
   * that protocol. A server without upgrades reads such a request as any other.
   */
  #readPlain({ request, socket, early }: UpgradeEvent): void {
    socket.unshift(Buffer.concat([headBytesOf(request), early]));
    this.#plain.emit('connection', socket);
  }

  #createProxied(createProxyReader: () => ProxyReader): NetServer {
    const { limits, isProxy } = this.#options;
    // A server that does not listen starts its timeouts with this event.
    this.#http.emit('listening');
    // Without a buffer a socket reads once when it is asked to: what follows the header is left to the HTTP server.
    return createNetServer({ highWaterMark: 0, allowHalfOpen: true, noDelay: true }, (socket) => {
      if (!isProxy?.(socket.remoteAddress)) {
        this.#http.emit('connection', socket);
        return;
      }
      readProxyHeader(socket, {
        reader: createProxyReader(),
        timeoutMs: limits.headTimeoutMs,
        read: (addresses) => {
          if (addresses !== undefined) this.#addresses.set(socket, addresses);
          this.#http.emit('connection', socket);
        },
        refused: (reason) => this.#refused(0, reason),
      });
    });
  }

  #accept(socket: Socket): void {
    const { emit } = this.#options;
    this.#clients.add(socket, () => emit({ kind: 'emptied' }));
    emit({ kind: 'accepted' });
  }

  /** Ends a connection whose bytes are no request. */
  #refuse({ code = '' }: Pick<NodeJS.ErrnoException, 'code'>, socket: Socket): void {
    const status = this.#clients.refuse(socket, STATUS_OF[code] ?? 400, code === BEHIND_LAST);
    if (status !== undefined) this.#refused(status, code);
  }

  #refused(status: number, reason: string): void {
    this.#options.emit({ kind: 'refused', status, reason });
  }
}
