import { type ListenOptions, Server, type Socket } from 'node:net';
import type { LeaveOptions } from '../contract/leave-options.ts';
import type {
  AttachableServer,
  WorkerHandle,
  WorkerHandleStats,
} from '../contract/worker-handle.ts';
import { type Leave, resolveLeave } from '../options/attach-options.ts';
import { drainConnections } from './drain-connections.ts';
import { type WatchedServer, watchServer } from './watched-server.ts';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** A server in a process without a router: listens by itself, and ends by a signal or `close()` as a worker does. */
export class StandaloneServer implements WorkerHandle {
  readonly #leave: Leave;
  readonly #watched: WatchedServer;
  readonly #sockets = new Set<Socket>();
  readonly #draining = new AbortController();
  #accepted = 0;
  #end: Promise<void> | undefined;

  constructor(
    server: AttachableServer,
    { listen, leave }: { readonly listen: ListenOptions; readonly leave: Leave },
  ) {
    this.#leave = leave;
    this.#watched = watchServer(server, this.draining, true);
    server.on('connection', (socket: Socket) => {
      this.#accepted += 1;
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.listen(listen);
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
  }

  get connections(): number {
    return this.#sockets.size;
  }

  stats(): WorkerHandleStats {
    const { requests } = this.#watched.arrivals;
    return { connections: this.connections, claimed: this.#accepted, requests, forwarded: 0 };
  }

  get draining(): AbortSignal {
    return this.#draining.signal;
  }

  close(options?: LeaveOptions): Promise<void> {
    const leave = options === undefined ? this.#leave : resolveLeave('close worker', options);
    this.#end ??= this.#close(leave);
    return this.#end;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  readonly #onSignal = (): void => {
    void this.close().then(() => process.exit());
  };

  async #close({ graceMs, lameDuckMs }: Leave): Promise<void> {
    const { server, busy, sessions } = this.#watched;
    this.#draining.abort();
    // The method of http servers would also close idle connections, and a request that a client sends at this moment would fail.
    Server.prototype.close.call(server);
    const sockets = [this.#sockets];
    const waitsForMore = false;
    await drainConnections({ server, busy, sessions, sockets, waitsForMore, graceMs, lameDuckMs });
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
  }
}
