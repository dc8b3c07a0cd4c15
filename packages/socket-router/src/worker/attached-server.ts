import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import {
  closeAfterFirstStreams,
  endNesting,
  leaveSignalsToParent,
  type ServerSession,
  watchInspector,
} from '@ticketing/kit';
import type { LeaveOptions } from '../contract/leave-options.ts';
import type {
  AttachableServer,
  WorkerHandle,
  WorkerHandleStats,
} from '../contract/worker-handle.ts';
import {
  type AttachOptions,
  type Leave,
  type ResolvedAttachOptions,
  resolveAttachOptions,
  resolveLeave,
} from '../options/attach-options.ts';
import { decodeBytes } from '../wire/first-bytes.ts';
import {
  ANY_ROUTER,
  type HandMessage,
  type HelloMessage,
  isTagged,
  type RouterMessage,
} from '../wire/messages.ts';
import { withinMs } from '../wire/monotonic-clock.ts';
import { Arrivals } from './arrivals.ts';
import { ClientAddresses } from './client-address.ts';
import { BusyConnections, drainConnections } from './drain-connections.ts';
import { type LaterRequests, oneRequestEach } from './later-requests.ts';
import { type RouterChannel, RouterLink, sendToRouter } from './router-link.ts';
import { beginTimeouts, interceptRequests } from './server-events.ts';

/** Milliseconds for idle connections when the router has died. */
const ORPHAN_LAME_DUCK_MS = 100;

export interface AttachedServerOptions extends ResolvedAttachOptions {
  readonly channel: RouterChannel;
  /** Ends the process. */
  readonly exit: () => void;
  /** Keeps signals from ending the process, calls the function at SIGTERM, and returns what ends that. Default: nothing does. */
  readonly keepSignals?: typeof leaveSignalsToParent;
  /** Calls the function with the address of the process' inspector when it opens or closes, and returns what ends that. Default: never. */
  readonly watchInspector?: typeof watchInspector;
}

/** A server and the routers that hand it connections. */
export class AttachedServer implements WorkerHandle {
  readonly #server: AttachableServer;
  readonly #options: AttachedServerOptions;
  readonly #channel: RouterChannel;
  readonly #links = new Map<string, RouterLink>();
  readonly #sessions = new Set<ServerSession>();
  readonly #draining = new AbortController();
  readonly #addresses: ClientAddresses;
  readonly #arrivals: Arrivals = new Arrivals();
  readonly #busy: BusyConnections;
  readonly #releaseSignals: () => void;
  readonly #endWatch: () => void;
  #inspectorUrl: string | undefined;
  #end: Promise<void> | undefined;

  constructor(server: AttachableServer, options: AttachedServerOptions) {
    this.#server = server;
    this.#options = options;
    this.#channel = options.channel;
    this.#addresses = new ClientAddresses(server);
    this.#busy = new BusyConnections(server);
    interceptRequests(server, (event, [request, other]) => {
      this.#arrivals.record(request as IncomingMessage);
      this.#busy.record(event, other);
      return false;
    });
    if (!server.listening) beginTimeouts(server);
    server.on('session', (session: ServerSession) => {
      this.#sessions.add(session);
      // Its connection was on its way when the worker began to leave.
      if (this.draining.aborted) closeAfterFirstStreams(session);
      session.once('close', () => this.#sessions.delete(session));
    });
    this.#releaseSignals = options.keepSignals?.(this.#onTerminated) ?? (() => {});
    this.#endWatch = options.watchInspector?.(this.#onInspector) ?? (() => {});
    this.#channel.on('message', this.#onMessage);
    this.#channel.on('disconnect', this.#onDisconnect);
    sendToRouter(this.#channel, ANY_ROUTER, { kind: 'attached' });
  }

  get connections(): number {
    let open = 0;
    for (const link of this.#links.values()) open += link.sockets.size;
    return open;
  }

  stats(): WorkerHandleStats {
    let claimed = 0;
    let forwarded = 0;
    for (const link of this.#links.values()) {
      claimed += link.claimed;
      forwarded += link.laterRequests.forwarded ?? 0;
    }
    const requests = this.#arrivals.requests + forwarded;
    return { connections: this.connections, claimed, requests, forwarded };
  }

  get draining(): AbortSignal {
    return this.#draining.signal;
  }

  close(options?: LeaveOptions): Promise<void> {
    const leave = resolveLeave('close worker', options);
    this.#end ??= this.#close(leave);
    return this.#end;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  readonly #onMessage = (received: unknown, handle: unknown): void => {
    if (!isTagged(received)) return;
    const message = received as typeof received & RouterMessage;
    const link = this.#linkTo(message.router);
    switch (message.kind) {
      case 'hello':
        void this.#meet(link, message);
        break;
      case 'peers':
        link.laterRequests.update?.(message.peers);
        break;
      case 'hand':
        this.#take(link, message, handle instanceof Socket ? handle : undefined);
        break;
      case 'closing':
        this.#draining.abort();
        break;
      case 'drain':
        link.isLeft = true;
        void this.#drain(link, message).then(() => {
          link.isOver = true;
          link.send({ kind: 'drained' });
        });
        break;
      case 'retired':
        link.retired();
        break;
      case 'leave':
        void this.#leave();
    }
  };

  async #meet(link: RouterLink, hello: HelloMessage): Promise<void> {
    link.met ??= this.#setUp(link, hello);
    await link.met;
    if (this.#end !== undefined || link.isLeft) return;
    if (this.#inspectorUrl !== undefined) this.#tellInspector(link);
    link.send({ kind: 'ready' });
  }

  /** An error here ends the process, as for a port that is taken. */
  async #setUp(link: RouterLink, hello: HelloMessage): Promise<void> {
    const { pid, socketPath } = hello;
    link.laterRequests = await this.#createLaterRequests(hello);
    if (socketPath === undefined) return;
    const { openWorkerSocket } = await import('./worker-socket.ts');
    link.workerSocket = await openWorkerSocket({
      path: socketPath,
      routerPid: pid,
      server: this.#server,
      arrivals: this.#arrivals,
    });
    if (link.workerSocket !== undefined) return;
    link.isLeft = true;
    // A `close()` that runs already need not wait for the router's answer.
    link.retired();
  }

  async #createLaterRequests(hello: HelloMessage): Promise<LaterRequests> {
    const { laterRequests, slot, headBytes, maxWaitMs } = hello;
    if (laterRequests === 'connection') return {};
    if (laterRequests === 'close') return oneRequestEach(this.#server);
    const { route } = this.#options;
    if (route === undefined) {
      throw new TypeError(
        'Cannot attach server: `route` must be a function with `laterRequests` forward, got undefined',
      );
    }
    // Loaded on demand: docs/discoveries/bodies-cost-the-whole-heap.md
    const { Forwarding } = await import('./forwarding.ts');
    return new Forwarding(this.#server, {
      route,
      slot,
      answerHeadBytes: headBytes,
      maxWaitMs,
      busy: this.#busy,
    });
  }

  #linkTo(router: string): RouterLink {
    let link = this.#links.get(router);
    if (link === undefined) {
      link = new RouterLink(router, this.#channel);
      this.#links.set(router, link);
    }
    return link;
  }

  #take(link: RouterLink, message: HandMessage, socket: Socket | undefined): void {
    // Before it is claimed: then the file has room for those of another one.
    const bytes = message.bytes && socket ? decodeBytes(message.bytes) : undefined;
    if (!link.take(message, socket)) return;
    const { proxy } = message;
    socket.allowHalfOpen = this.#server.allowHalfOpen ?? false;
    if (bytes !== undefined) socket.unshift(bytes);
    if (proxy !== undefined) this.#addresses.set(socket, proxy);
    link.laterRequests.add?.(socket, message);
    this.#server.emit('connection', socket);
  }

  async #close({ graceMs, lameDuckMs }: Leave): Promise<void> {
    const deadline = performance.now() + graceMs;
    const links = [...this.#links.values()];
    // Connections that arrive before the router's answer go back; after it none is under way.
    await withinMs(Promise.all(links.map((link) => link.retire())), graceMs);
    const left = { graceMs: Math.max(0, deadline - performance.now()), lameDuckMs };
    await Promise.all(links.map((link) => this.#drain(link, left)));
    this.#channel.off('message', this.#onMessage);
    this.#channel.off('disconnect', this.#onDisconnect);
    for (const link of links) link.release();
    this.#releaseSignals();
    this.#endWatch();
  }

  async #leave(): Promise<void> {
    await this.close({ graceMs: this.#options.orphanGraceMs });
    process.kill(process.pid, 'SIGTERM');
  }

  async #drain(link: RouterLink, { graceMs, lameDuckMs }: Leave): Promise<void> {
    link.isDraining = true;
    // Its unix socket may be about to open.
    await link.met?.catch(() => {});
    link.laterRequests.drain?.();
    this.#draining.abort();
    const { workerSocket } = link;
    await drainConnections({
      server: this.#server,
      busy: this.#busy,
      sockets: [link.sockets, ...(workerSocket === undefined ? [] : [workerSocket.sockets])],
      sessions: this.#sessions,
      // The unix socket may have a connection that is not accepted yet.
      waitsForMore: workerSocket !== undefined,
      graceMs,
      lameDuckMs,
    });
    workerSocket?.close();
  }

  readonly #onInspector = (url: string | undefined): void => {
    this.#inspectorUrl = url;
    for (const link of this.#links.values()) this.#tellInspector(link);
  };

  #tellInspector(link: RouterLink): void {
    link.send({ kind: 'inspector', url: this.#inspectorUrl });
  }

  /** The routers decide. Without any of them, as for a program that ends its workers after its router, the signal does. */
  readonly #onTerminated = (): void => {
    if (this.#end !== undefined || !this.#channel.connected) return;
    const links = [...this.#links.values()].filter(({ isOver }) => !isOver);
    for (const link of links) if (!link.isLeft) link.send({ kind: 'terminated' });
    if (links.length > 0) return;
    this.#releaseSignals();
    process.kill(process.pid, 'SIGTERM');
  };

  readonly #onDisconnect = (): void => {
    const links = [...this.#links.values()];
    for (const link of links) link.retired();
    // `forkWorkers` reads it: a write after its process has ended must not end what is being answered.
    process.stderr.on('error', () => {});
    if (this.#end !== undefined) return;
    const graceMs = this.#options.orphanGraceMs;
    const leave = { graceMs, lameDuckMs: Math.min(ORPHAN_LAME_DUCK_MS, graceMs / 2) };
    void Promise.all(links.map((link) => this.#drain(link, leave))).then(() => {
      // No other process would give it work or end it. Workers of node:cluster exit in this case, too.
      this.#options.exit();
    });
  };
}

/**
 * Lets a server of this process (net, tls, http, https, http2; of Fastify `app.server`) answer connections that a
 * router has accepted. The server need not listen; its timeouts hold nevertheless. The process lives as long as its
 * router, and ends with it: SIGINT, SIGTERM and SIGHUP, which reach all processes of a terminal or of a service, do not end it.
 * SIGTERM to it alone has it replaced.
 *
 * @throws TypeError or RangeError for a value that is no server, wrong options, or a process that no router has started
 * @example
 * attachServer(http.createServer((request, response) => response.end('hello')));
 */
export function attachServer(server: AttachableServer, options: AttachOptions = {}): WorkerHandle {
  const resolved = resolveAttachOptions(server, options);
  if (process.send === undefined) {
    throw new TypeError(
      'Cannot attach server: this process has no channel to a router; start it by `forkWorkers`, node:cluster or a supervisor',
    );
  }
  endNesting();
  return new AttachedServer(server, {
    ...resolved,
    channel: process as RouterChannel,
    exit: () => process.exit(),
    keepSignals: leaveSignalsToParent,
    watchInspector,
  });
}
