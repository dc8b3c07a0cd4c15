import net, { type Socket } from 'node:net';
import {
  type FromPort,
  isPortMessage,
  monotonicMs,
  type PortAddress,
  type PortOptions,
  type ToPort,
  toPort,
} from '../port/port-messages.ts';
import type { HttpServer } from './worker-options.ts';

/** The function that sends messages to the primary, bound before a task can replace it. */
const send = process.send?.bind(process);

/** Settings of a server for the connections that it accepts. */
interface SocketSettings {
  readonly allowHalfOpen?: boolean;
  readonly noDelay?: boolean;
  readonly keepAlive?: boolean;
  readonly keepAliveInitialDelay?: number;
}

/**
 * Lets a server listen on a port of the primary: `listen()` asks for the port, and the primary hands over connections or shares
 * its socket. To the program it is a server that listens: `listening`, `address()`, its events.
 */
export class PortClient {
  readonly #server: HttpServer;
  readonly #open: () => number;
  readonly #replace: () => void;
  #address: PortAddress | null = null;
  #isListening = false;
  /** Server that accepts connections of a shared socket. */
  #acceptor: net.Server | undefined;
  #left: (() => void) | undefined;

  /** Takes over `server.listen()`. `open` returns the number of the server's connections, `replace` asks for a successor. */
  constructor(server: HttpServer, { open, replace }: { open(): number; replace(): void }) {
    this.#server = server;
    this.#open = open;
    this.#replace = replace;
    const own: net.Server = server;
    const listen = own.listen.bind(own) as (...args: unknown[]) => net.Server;
    own.listen = (...args: unknown[]): net.Server => {
      const options = portOptions(args);
      // `exclusive` asks for a port of the worker's own.
      if (options === undefined || this.#isListening) return listen(...args);
      const callback = args.at(-1);
      if (typeof callback === 'function') server.once('listening', callback as () => void);
      this.#ask(options);
      return own;
    };
  }

  /** Stops listening. Resolves when all connections on their way have arrived. */
  async leave(): Promise<void> {
    if (!this.#isListening) {
      stopListening(this.#server);
      return;
    }
    this.#acceptor?.close();
    await new Promise<void>((resolve) => {
      this.#left = resolve;
      this.#tell({ kind: 'quit' });
    });
    this.#isListening = false;
    process.off('message', this.#onMessage);
  }

  #ask(options: PortOptions): void {
    process.on('message', this.#onMessage);
    this.#tell({ kind: 'listen', options });
  }

  readonly #onMessage = (message: unknown, handle: unknown): void => {
    if (!isPortMessage(message)) return;
    const received = message as FromPort;
    if (received.kind === 'hand') this.#take(received, handle as Socket | undefined);
    else if (received.kind === 'listening') this.#listening(received, handle);
    else if (received.kind === 'failed') this.#failed(received.error);
    else if (received.kind === 'ping') this.#tell({ kind: 'pong', id: received.id });
    else if (received.kind === 'replace') this.#replace();
    else this.#left?.();
  };

  #listening({ address, keep }: FromPort & { kind: 'listening' }, handle: unknown): void {
    this.#address = address;
    this.#isListening = true;
    const state = {
      listening: { configurable: true, get: () => this.#isListening },
      address: { configurable: true, value: () => (this.#isListening ? this.#address : null) },
    };
    Object.defineProperties(this.#server, state);
    if (handle != null) this.#accept(handle, keep);
    this.#server.emit('listening');
  }

  /** Accepts connections of a shared socket, as the other workers do. */
  #accept(handle: unknown, keep: boolean): void {
    const acceptor = handle instanceof net.Server ? handle : net.createServer();
    acceptor.on('connection', (socket) => this.#adopt(socket));
    acceptor.on('error', () => {});
    if (acceptor !== handle) acceptor.listen(handle);
    this.#acceptor = acceptor;
    // The handle is sent, because a `net.Server` would accept in the receiver at once.
    if (keep) this.#tell({ kind: 'keep' }, (acceptor as { _handle?: net.Server })._handle);
  }

  #failed(error: Readonly<Record<string, unknown>>): void {
    process.off('message', this.#onMessage);
    this.#server.emit('error', Object.assign(new Error(String(error['message'])), error));
  }

  #take({ id, before }: FromPort & { kind: 'hand' }, socket: Socket | undefined): void {
    const why = this.#whyNot(before, socket);
    if (why !== undefined || socket === undefined) {
      socket?.destroy();
      this.#tell({ kind: 'decline', id, why: why ?? 'missing' });
      return;
    }
    this.#tell({ kind: 'claim', id });
    // The process may have been stopped between reading the clock and the claim, so another worker may have the connection: no
    // answer is better than two.
    if (monotonicMs() >= before) socket.destroy();
    else this.#adopt(socket);
  }

  #whyNot(before: number, socket: Socket | undefined): 'late' | 'full' | 'missing' | undefined {
    if (socket === undefined) return 'missing';
    if (monotonicMs() >= before) return 'late';
    const { maxConnections } = this.#server;
    return maxConnections > 0 && this.#open() >= maxConnections ? 'full' : undefined;
  }

  #adopt(socket: Socket): void {
    const settings = this.#server as SocketSettings;
    socket.allowHalfOpen = settings.allowHalfOpen ?? false;
    if (settings.noDelay) socket.setNoDelay(true);
    if (settings.keepAlive) socket.setKeepAlive(true, settings.keepAliveInitialDelay);
    this.#server.emit('connection', socket);
  }

  #tell(message: ToPort, handle?: net.Server): void {
    // Errors are ignored: after the channel has closed, `disconnect` ends the process.
    send?.(toPort(message), handle, undefined, () => {});
  }
}

/**
 * Lets a server accept no further connection, and keeps open ones. `server.close()` would also close idle ones, and a
 * request that a client sends at this moment would fail.
 */
export function stopListening(server: HttpServer): void {
  net.Server.prototype.close.call(server);
}

const names: ReadonlySet<keyof PortOptions> = new Set([
  ...(['port', 'host', 'path', 'fd', 'backlog'] as const),
  ...(['ipv6Only', 'readableAll', 'writableAll', 'reusePort'] as const),
]);

/** Returns the arguments of `listen` as plain data, or `undefined` if the worker must listen by itself. */
export function portOptions([first, second, third]: readonly unknown[]): PortOptions | undefined {
  if (typeof first === 'object' && first !== null) {
    const known = Object.entries(first).filter(([name]) => names.has(name as keyof PortOptions));
    const isOwn = (first as { readonly exclusive?: boolean }).exclusive ?? false;
    const options = Object.fromEntries(known.filter(([, value]) => value != null));
    return isOwn || known.length === 0 ? undefined : options;
  }
  if (typeof first === 'string' && !/^\d+$/.test(first)) return { path: first };
  if (typeof first === 'function') return { port: 0 };
  return {
    port: Number(first ?? 0),
    ...(typeof second === 'string' && { host: second }),
    ...(typeof third === 'number' && { backlog: third }),
  };
}
