import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { AttachOptions, LeaveOptions, WorkerHandle } from '../contract/worker-handle.ts';
import {
  type ResolvedAttachOptions,
  resolveAttachOptions,
  resolveLeave,
} from '../options/resolve-attach-options.ts';
import {
  ANY_ROUTER,
  type HandMessage,
  type HelloMessage,
  isTagged,
  type RouterMessage,
} from '../wire/messages.ts';
import { withinMs } from '../wire/monotonic-clock.ts';
import { type Affinity, STAYING } from './affinity.ts';
import { Arrivals } from './arrivals.ts';
import { type AttachableServer, allowsHalfOpen } from './attachable-server.ts';
import { ClientAddresses } from './client-address.ts';
import { BusyConnections, drainConnections } from './drain-connections.ts';
import { type RouterChannel, tellRouter } from './router-channel.ts';
import { RouterLink } from './router-link.ts';

/** When the router as a whole ends, in milliseconds. */
const LAME_DUCK_MS = 100;

export interface AttachedWorkerOptions extends ResolvedAttachOptions {
  readonly channel: RouterChannel;
}

/** A server and the routers that give it connections. */
export class AttachedWorker implements WorkerHandle {
  readonly #server: AttachableServer;
  readonly #options: AttachedWorkerOptions;
  readonly #channel: RouterChannel;
  readonly #links = new Map<string, RouterLink>();
  readonly #sessions = new Set<{ close(): void }>();
  readonly #draining = new AbortController();
  readonly #addresses: ClientAddresses;
  readonly #arrivals: Arrivals;
  readonly #busy: BusyConnections;
  #end: Promise<void> | undefined;

  constructor(server: AttachableServer, options: AttachedWorkerOptions) {
    this.#server = server;
    this.#options = options;
    this.#channel = options.channel;
    this.#addresses = new ClientAddresses(server);
    this.#arrivals = new Arrivals(server);
    this.#busy = new BusyConnections(server);
    // An HTTP server that does not listen knows no timeouts and no idle connections: it begins with this event.
    if (!server.listening) server.emit('listening');
    server.on(
      'session',
      (session: { close(): void; once(event: 'close', f: () => void): void }) => {
        this.#sessions.add(session);
        session.once('close', () => this.#sessions.delete(session));
      },
    );
    this.#channel.on('message', this.#onMessage);
    this.#channel.on('disconnect', this.#onDisconnect);
    tellRouter(this.#channel, ANY_ROUTER, { kind: 'attached' });
  }

  get connections(): number {
    let open = 0;
    for (const link of this.#links.values()) open += link.sockets.size;
    return open;
  }

  get draining(): AbortSignal {
    return this.#draining.signal;
  }

  close(options?: LeaveOptions): Promise<void> {
    const leave = resolveLeave(options);
    this.#end ??= this.#close(leave);
    return this.#end;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  readonly #onMessage = (message: unknown, handle: unknown): void => {
    if (!isTagged(message)) return;
    const told = message as typeof message & RouterMessage;
    const socket = handle instanceof Socket ? handle : undefined;
    const link = this.#linkOf(told.router);
    switch (told.kind) {
      case 'hello':
        void this.#meet(link, told);
        break;
      case 'peers':
        link.affinity.update(told.peers);
        break;
      case 'hand':
        this.#take(link, told, socket);
        break;
      case 'closing':
        this.#draining.abort();
        break;
      case 'drain':
        link.isLeft = true;
        void this.#drain(link, told.graceMs).then(() => {
          tellRouter(this.#channel, told.router, { kind: 'drained' });
        });
        break;
      case 'retired':
        link.retired();
    }
  };

  async #meet(link: RouterLink, hello: HelloMessage): Promise<void> {
    link.met ??= this.#prepare(link, hello);
    await link.met;
    if (this.#end === undefined && !link.isLeft)
      tellRouter(this.#channel, link.router, { kind: 'ready' });
  }

  /** What throws here ends the process, as a port that is taken does. */
  async #prepare(
    link: RouterLink,
    { affinity, slot, pid, socketPath }: HelloMessage,
  ): Promise<void> {
    link.affinity = await this.#affinityOf(affinity, slot);
    if (socketPath === undefined) return;
    const { openWorkerSocket } = await import('./worker-socket.ts');
    link.workerSocket = await openWorkerSocket({
      path: socketPath,
      routerPid: pid,
      server: this.#server,
      arrivals: this.#arrivals,
    });
    if (link.workerSocket === undefined) link.isLeft = true;
  }

  async #affinityOf(affinity: HelloMessage['affinity'], slot: string): Promise<Affinity> {
    if (affinity === 'connection') return STAYING;
    if (affinity === 'close') return oneRequestEach(this.#server);
    const { route } = this.#options;
    if (route === undefined) {
      throw new TypeError(
        'Cannot attach worker: route must be a function with affinity forward, got undefined',
      );
    }
    // With undici: in a process that reads bodies each megabyte of heap makes all collections of their buffers longer.
    const { Forwarding } = await import('./forwarding.ts');
    return new Forwarding(this.#server, { route, slot });
  }

  #linkOf(router: string): RouterLink {
    let link = this.#links.get(router);
    if (link === undefined) {
      link = new RouterLink(router, this.#channel);
      this.#links.set(router, link);
    }
    return link;
  }

  #take(link: RouterLink, message: HandMessage, socket: Socket | undefined): void {
    if (!link.take(message, socket)) return;
    const { bytes, proxy, arrivedAt } = message;
    socket.allowHalfOpen = allowsHalfOpen(this.#server);
    const read = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytesOf(bytes);
    if (read.length > 0) socket.unshift(read);
    if (proxy !== undefined) this.#addresses.set(socket, proxy);
    this.#arrivals.add(socket, arrivedAt);
    link.affinity.add(socket, message);
    this.#server.emit('connection', socket);
  }

  async #close({ graceMs, lameDuckMs }: Required<LeaveOptions>): Promise<void> {
    const deadline = performance.now() + graceMs;
    const links = [...this.#links.values()];
    // After the router's answer nothing is still under way; what comes before it goes back.
    await withinMs(Promise.all(links.map((link) => link.retire())), graceMs);
    const left = Math.max(0, deadline - performance.now());
    await Promise.all(links.map((link) => this.#drain(link, left, lameDuckMs)));
    this.#channel.off('message', this.#onMessage);
    this.#channel.off('disconnect', this.#onDisconnect);
    for (const link of links) link.release();
  }

  async #drain(link: RouterLink, graceMs: number, lameDuckMs = LAME_DUCK_MS): Promise<void> {
    link.isDraining = true;
    // Its unix socket may be about to open.
    await link.met?.catch(() => {});
    link.affinity.drain();
    this.#draining.abort();
    const { workerSocket } = link;
    await drainConnections({
      server: this.#server,
      busy: this.#busy,
      sockets: [link.sockets, ...(workerSocket === undefined ? [] : [workerSocket.sockets])],
      sessions: this.#sessions,
      // A connection may have come to the socket that has not been accepted yet.
      waitsForMore: workerSocket !== undefined,
      graceMs,
      lameDuckMs,
    });
    workerSocket?.close();
  }

  readonly #onDisconnect = (): void => {
    const links = [...this.#links.values()];
    for (const link of links) link.retired();
    if (this.#end !== undefined || this.#options.orphan === 'stay') return;
    const { orphanGraceMs } = this.#options;
    void Promise.all(links.map((link) => this.#drain(link, orphanGraceMs))).then(() => {
      // No process would ever give it work again, or end it; node:cluster does the same with its workers.
      process.exit();
    });
  };
}

/** A channel that speaks JSON has made an object of a buffer. */
function bytesOf(buffer: Buffer): Buffer {
  return Buffer.isBuffer(buffer) ? buffer : Buffer.from(buffer);
}

/** Ends each connection that was routed by a key or to a slot with its first answer, so that the next request is routed anew. */
function oneRequestEach(server: AttachableServer): Affinity {
  const routed = new WeakSet<Socket>();
  const sayClose = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    if (routed.has(socket)) response.setHeader('connection', 'close');
  };
  server.prependListener('request', sayClose);
  return {
    add: (socket, { isRouted }) => {
      if (isRouted) routed.add(socket);
    },
    update: () => {},
    // Those that stay are the server's, which says so itself.
    drain: () => {},
    close: () => server.off('request', sayClose),
  };
}

/**
 * Lets a server of this process (net, tls, http, https, http2; of Fastify `app.server`) answer connections that a
 * router has accepted. The server need not listen; one that does not emits `listening` once all the
 * same, since that is when its timeouts begin. The process lives as long as its router does, and ends with it.
 *
 * @throws TypeError or RangeError for a server that is none, wrong options, or a process that no router has started
 * @example
 * attachWorker(http.createServer((request, response) => response.end('hello')));
 */
export function attachWorker(server: AttachableServer, options: AttachOptions = {}): WorkerHandle {
  const resolved: ResolvedAttachOptions = resolveAttachOptions(server, options);
  if (process.send === undefined) {
    throw new TypeError(
      'Cannot attach worker: a process with a channel to its router expected, got none',
    );
  }
  return new AttachedWorker(server, { ...resolved, channel: process as RouterChannel });
}
