import type { ListenOptions } from 'node:net';

const portTag = 'dispatch-cluster.port';

/** The options of `server.listen` with which the primary opens the port: plain data. */
export type PortOptions = Pick<
  ListenOptions,
  'port' | 'host' | 'path' | 'backlog' | 'ipv6Only' | 'readableAll' | 'writableAll'
> & { readonly fd?: number; readonly reusePort?: boolean };

export type PortAddress = { readonly address: string; readonly port: number } | string;

/** From a worker to the primary. */
export type ToPort =
  | { readonly kind: 'listen'; readonly options: PortOptions }
  /** Takes the connection, which is this worker's from then on. */
  | { readonly kind: 'claim'; readonly id: number }
  /** `late`: another worker may have it; `full`: `maxConnections` are open; `missing`: the handle did not arrive. */
  | { readonly kind: 'decline'; readonly id: number; readonly why: 'late' | 'full' | 'missing' }
  /** Comes with a handle of the listening socket, which the primary keeps without accepting. */
  | { readonly kind: 'keep' }
  /** Everything sent before `ping` has been read. */
  | { readonly kind: 'pong'; readonly id: number }
  | { readonly kind: 'quit' };

/** From the primary to a worker. */
export type FromPort =
  /** Comes with a handle of the listening socket if the worker accepts by itself. */
  | { readonly kind: 'listening'; readonly address: PortAddress | null; readonly keep: boolean }
  | { readonly kind: 'failed'; readonly error: Readonly<Record<string, unknown>> }
  /** Comes with a connection, to be claimed `before` this time of the machine's monotonic clock. */
  | { readonly kind: 'hand'; readonly id: number; readonly before: number }
  | { readonly kind: 'ping'; readonly id: number }
  /** The worker claims nothing, and must ask for a successor. */
  | { readonly kind: 'replace' }
  /** No connection comes after this. */
  | { readonly kind: 'quitted' };

export function toPort(message: ToPort): object {
  return { ticketing: portTag, ...message };
}

export function fromPort(message: FromPort): object {
  return { ticketing: portTag, ...message };
}

export function isPortMessage(message: unknown): boolean {
  return (Object(message) as { readonly ticketing?: unknown }).ticketing === portTag;
}

/** Returns milliseconds of a clock that never jumps and is the same in all processes of a machine. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
