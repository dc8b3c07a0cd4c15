import type { Cluster } from 'node:cluster';
import { Socket } from 'node:net';
import {
  endNesting,
  isStartedAsWorker,
  leaveSignalsToParent,
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
import { drainConnections } from './drain-connections.ts';
import { type RouterChannel, RouterLink, sendToRouter } from './router-link.ts';
import { setUpLink } from './set-up-link.ts';
import { StandaloneServer } from './standalone-server.ts';
import { prepareSocket, type WatchedServer, watchServer } from './watched-server.ts';

/** Milliseconds for idle connections when the router has died. */
const ORPHAN_LAME_DUCK_MS = 100;

export interface AttachedServerOptions
  extends Pick<ResolvedAttachOptions, 'route' | 'orphanGraceMs'> {
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
  readonly #options: AttachedServerOptions;
  readonly #watched: WatchedServer;
  readonly #links = new Map<string, RouterLink>();
  readonly #draining = new AbortController();
  readonly #subscriptions: Subscriptions;
  #inspectorUrl: string | undefined;
  #end: Promise<void> | undefined;

  constructor(server: AttachableServer, options: AttachedServerOptions) {
    this.#options = options;
    this.#watched = watchServer(server, this.draining);
    this.#subscriptions = listenFor(this, options);
    guardStandardError();
    sendToRouter(options.channel, ANY_ROUTER, { kind: 'attached' });
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
    const requests = this.#watched.arrivals.requests + forwarded;
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

  /** Receives a message of the process's channel, and its handle. */
  receive(received: unknown, handle: unknown): void {
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
        this.#claim(link, message, handle instanceof Socket ? handle : undefined);
        break;
      case 'closing':
        this.#draining.abort();
        break;
      case 'drain':
        link.leave();
        void this.#drain(link, message).then(() => {
          link.end();
          link.send({ kind: 'drained' });
        });
        break;
      case 'retired':
        link.leave();
        break;
      case 'leave':
        void this.#leave();
    }
  }

  /** Notes where the process's inspector listens, or that it has closed. */
  inspected(url: string | undefined): void {
    this.#inspectorUrl = url;
    for (const link of this.#links.values()) this.#reportInspector(link);
  }

  /** Notes SIGTERM. The routers decide. Without any of them, as for a program that ends its workers after its router, the signal ends the process. */
  terminated(): void {
    if (this.#end !== undefined || !this.#options.channel.connected) return;
    const links = [...this.#links.values()].filter(({ stage }) => stage !== 'over');
    for (const link of links) if (link.stage !== 'left') link.send({ kind: 'terminated' });
    if (links.length > 0) return;
    this.#subscriptions.releaseSignals();
    process.kill(process.pid, 'SIGTERM');
  }

  /** Notes that the process's channel has ended: the routers are gone. */
  disconnected(): void {
    const links = [...this.#links.values()];
    for (const link of links) link.leave();
    if (this.#end !== undefined) return;
    const graceMs = this.#options.orphanGraceMs;
    const leave = { graceMs, lameDuckMs: Math.min(ORPHAN_LAME_DUCK_MS, graceMs / 2) };
    void Promise.all(links.map((link) => this.#drain(link, leave))).then(() => {
      // No other process would give it work or end it. Workers of node:cluster exit in this case, too.
      this.#options.exit();
    });
  }

  /** Sets the worker up for a router, and reports that it is ready. An error here ends the process, as for a port that is taken. */
  async #meet(link: RouterLink, hello: HelloMessage): Promise<void> {
    const { route } = this.#options;
    await link.meet(() => setUpLink(hello, { watched: this.#watched, route }));
    // The router has closed and removed the folder.
    if (hello.socketPath !== undefined && link.workerSocket === undefined) link.leave();
    if (this.#end !== undefined || link.stage !== 'open') return;
    if (this.#inspectorUrl !== undefined) this.#reportInspector(link);
    link.send({ kind: 'ready' });
  }

  #linkTo(router: string): RouterLink {
    let link = this.#links.get(router);
    if (link === undefined) {
      link = new RouterLink(router, this.#options.channel);
      this.#links.set(router, link);
    }
    return link;
  }

  #claim(link: RouterLink, message: HandMessage, socket: Socket | undefined): void {
    // Read before the claim: after it the file may have the bytes of another connection.
    const bytes = message.bytes && socket ? decodeBytes(message.bytes) : undefined;
    if (!link.claim(message, socket)) return;
    prepareSocket(this.#watched, socket, { bytes, proxy: message.proxy });
    link.laterRequests.add?.(socket, message);
    this.#watched.server.emit('connection', socket);
  }

  async #close({ graceMs, lameDuckMs }: Leave): Promise<void> {
    const deadline = performance.now() + graceMs;
    const links = [...this.#links.values()];
    // Connections that arrive before the router's answer go back; after it none is under way.
    await withinMs(Promise.all(links.map((link) => link.retire())), graceMs);
    const left = { graceMs: Math.max(0, deadline - performance.now()), lameDuckMs };
    await Promise.all(links.map((link) => this.#drain(link, left)));
    this.#subscriptions.end();
    for (const link of links) link.release();
  }

  async #leave(): Promise<void> {
    await this.close({ graceMs: this.#options.orphanGraceMs });
    process.kill(process.pid, 'SIGTERM');
  }

  async #drain(link: RouterLink, { graceMs, lameDuckMs }: Leave): Promise<void> {
    // Its unix socket may be about to open.
    await link.settled();
    link.laterRequests.drain?.();
    this.#draining.abort();
    const { server, busy, sessions } = this.#watched;
    const { workerSocket } = link;
    await drainConnections({
      server,
      busy,
      sessions,
      sockets: [link.sockets, ...(workerSocket === undefined ? [] : [workerSocket.sockets])],
      // The unix socket may have a connection that is not accepted yet.
      waitsForMore: workerSocket !== undefined,
      graceMs,
      lameDuckMs,
    });
    workerSocket?.close();
  }

  #reportInspector(link: RouterLink): void {
    link.send({ kind: 'inspector', url: this.#inspectorUrl });
  }
}

/** Ends of an attached server's subscriptions. */
interface Subscriptions {
  readonly releaseSignals: () => void;
  /** Ends all subscriptions. */
  readonly end: () => void;
}

/** Passes messages, signals and the inspector's changes to an attached server. */
function listenFor(
  attached: AttachedServer,
  { channel, keepSignals, watchInspector: watch }: AttachedServerOptions,
): Subscriptions {
  const onMessage = (message: unknown, handle: unknown): void => attached.receive(message, handle);
  const onDisconnect = (): void => attached.disconnected();
  const releaseSignals = keepSignals?.(() => attached.terminated()) ?? (() => {});
  const endWatch = watch?.((url) => attached.inspected(url)) ?? (() => {});
  channel.on('message', onMessage);
  channel.on('disconnect', onDisconnect);
  return {
    releaseSignals,
    end: () => {
      channel.off('message', onMessage);
      channel.off('disconnect', onDisconnect);
      releaseSignals();
      endWatch();
    },
  };
}

/**
 * Lets a server of this process (net, tls, http, https, http2; of Fastify `app.server`) answer connections that a
 * router has accepted. The server need not listen; its timeouts hold nevertheless. The process lives as long as its
 * router, and ends with it: SIGINT, SIGTERM and SIGHUP, which reach all processes of a terminal or of a service, do not end it.
 * SIGTERM to it alone has it replaced.
 *
 * @throws TypeError or RangeError for a value that is no server, wrong options, or a process that no router has started, unless
 *   `standalone` is set
 * @example
 * attachServer(http.createServer((request, response) => response.end('hello')));
 */
export function attachServer(server: AttachableServer, options: AttachOptions = {}): WorkerHandle {
  const { alone, ...resolved } = resolveAttachOptions(server, options);
  if (alone !== undefined && !hasRouter()) return new StandaloneServer(server, alone);
  if (process.send === undefined) {
    throw new TypeError(
      'Cannot attach server: this process has no channel to a router; start it by `forkWorkers`, node:cluster or a supervisor, or set `standalone` to true',
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

/** Returns true if a router may be at the other end of this process' channel: the channel of `node --watch` or of a test has none. */
function hasRouter(): boolean {
  if (process.send === undefined) return false;
  return (
    isStartedAsWorker() || (process.getBuiltinModule('node:cluster') as unknown as Cluster).isWorker
  );
}

/**
 * Keeps a worker alive that writes to standard error after `forkWorkers`, which reads it, has ended: its requests are still
 * answered. From the attachment on, because the pipe breaks before the worker learns that its channel has ended.
 */
function guardStandardError(): void {
  const { stderr } = process;
  if (!stderr.listeners('error').includes(ignoreBrokenPipe)) stderr.on('error', ignoreBrokenPipe);
}

function ignoreBrokenPipe(error: Error & { readonly code?: string }): void {
  if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') throw error;
}
