import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import { createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { hasBody, problem, type RouterAnswer } from '../answers.ts';
import type { ProxiedAddresses } from '../contract/head.ts';
import type { ResolvedRouterOptions } from '../options/router-options.ts';
import { limitPipelined } from '../pipelining/limit-pipelined.ts';
import { headBytesOf } from '../reading/http/head-text.ts';
import type { ProxyReader } from '../reading/proxy-protocol/proxy-protocol.ts';
import { ClientConnections } from './client-connections.ts';

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

export interface FrontEvents {
  accepted(): void;
  request(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Socket, early: Buffer): void;
  /** A connection ended without a request; status 0 closes without an answer. */
  readonly refused: (status: number, reason: string) => void;
  /** The last open connection has closed. */
  emptied(): void;
}

/** The HTTP server that clients connect to in mode `passthru`, with the router's limits. */
export class FrontServer {
  /** Listens: the HTTP server itself, or a server that reads PROXY headers for it. */
  readonly server: NetServer;
  readonly #http: Server;
  /** Reads requests that Node before 22.21 would take for upgrades, as plain requests. */
  readonly #plain: Server;
  readonly #options: ResolvedRouterOptions;
  readonly #events: FrontEvents;
  readonly #addresses = new WeakMap<Socket, ProxiedAddresses>();
  readonly #clients = new ClientConnections();

  /** `createProxyReader` is present when clients come through proxies that send PROXY headers. */
  constructor(
    options: ResolvedRouterOptions,
    events: FrontEvents,
    createProxyReader: (() => ProxyReader) | undefined,
  ) {
    this.#options = options;
    this.#events = events;
    this.#http = this.#createHttp();
    this.#http.on('connection', (socket: Socket) => this.#accept(socket));
    this.#http.on('upgrade', (request, socket: Socket, early) => {
      // Its socket is no longer the server's, so no answer would wait for those before it.
      if (!this.#clients.mayUpgrade(socket))
        this.#refuse({ code: 'upgrade-behind-request' }, socket);
      else if (hasBody(request)) this.#readPlain(request, socket, early);
      else events.upgrade(request, socket, early);
    });
    this.#plain = this.#createHttp();
    // A server that does not listen starts its timeouts with this event.
    this.#plain.emit('listening');
    this.server =
      createProxyReader === undefined ? this.#http : this.#createProxied(createProxyReader);
    this.server.maxConnections = options.limits.pending;
    this.server.on('drop', () => events.refused(0, 'pending-full'));
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
      if (this.#clients.begins(request, response)) this.#events.request(request, response);
    });
    limitPipelined(server);
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      if (!this.#clients.begins(request, response)) return;
      this.answer(response, problem(417));
      this.#events.refused(417, 'expectation');
    });
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
      this.#refuse(error, socket as Socket);
    });
    return server;
  }

  /**
   * Node before 22.21 takes the body of a request that offers another protocol, as some clients always do, for bytes of
   * that protocol. A server without upgrades reads such a request as any other.
   */
  #readPlain(request: IncomingMessage, socket: Socket, early: Buffer): void {
    socket.unshift(Buffer.concat([headBytesOf(request), early]));
    this.#plain.emit('connection', socket);
  }

  #createProxied(createProxyReader: () => ProxyReader): NetServer {
    // A server that does not listen starts its timeouts with this event.
    this.#http.emit('listening');
    // Without a buffer a socket reads once when it is asked to: what follows the header is left to the HTTP server.
    return createNetServer({ highWaterMark: 0, allowHalfOpen: true, noDelay: true }, (socket) => {
      if (this.#options.isProxy?.(socket.remoteAddress)) {
        this.#readProxyHeader(socket, createProxyReader());
      } else {
        this.#http.emit('connection', socket);
      }
    });
  }

  #readProxyHeader(socket: Socket, reader: ProxyReader): void {
    const chunks: Buffer[] = [];
    const stop = (): void => {
      clearTimeout(timer);
      socket.off('readable', read);
      socket.off('end', cutOff);
      socket.off('close', stop);
    };
    const refuse = (reason: string): void => {
      stop();
      socket.destroy();
      this.#events.refused(0, reason);
    };
    const read = (): void => {
      for (;;) {
        const chunk = socket.read() as Buffer | null;
        if (chunk === null) return;
        chunks.push(chunk);
        const state = reader.push(chunk);
        if (state.kind === 'incomplete') continue;
        if (state.kind !== 'proxy') {
          refuse(state.kind === 'none' ? 'proxy-header-missing' : `proxy-header-${state.reason}`);
          return;
        }
        stop();
        const { source, destination, headerBytes } = state;
        if (source !== undefined && destination !== undefined) {
          this.#addresses.set(socket, { source, destination });
        }
        const rest = Buffer.concat(chunks).subarray(headerBytes);
        if (rest.length > 0) socket.unshift(rest);
        this.#http.emit('connection', socket);
        return;
      }
    };
    const cutOff = (): void => refuse('proxy-header-cut-off');
    const { headTimeoutMs } = this.#options.limits;
    const timer = setTimeout(() => refuse('proxy-header-timeout'), headTimeoutMs);
    socket.on('readable', read);
    socket.once('end', cutOff);
    socket.once('close', stop);
    socket.on('error', () => {});
  }

  #accept(socket: Socket): void {
    this.#clients.add(socket, () => this.#events.emptied());
    this.#events.accepted();
  }

  #refuse({ code = '' }: Pick<NodeJS.ErrnoException, 'code'>, socket: Socket): void {
    const status = this.#clients.refuse(socket, STATUS_OF[code] ?? 400, code === BEHIND_LAST);
    if (status !== undefined) this.#events.refused(status, code);
  }
}
