import type { ListenOptions } from 'node:net';

const portTag = 'dispatch-cluster.port';

/** Options of `server.listen` with which the primary opens the port, as plain data. */
export type PortOptions = Pick<
  ListenOptions,
  'port' | 'host' | 'path' | 'backlog' | 'ipv6Only' | 'readableAll' | 'writableAll'
> & { readonly fd?: number; readonly reusePort?: boolean };

/** Address of a listening server; a text for a socket of a path. */
export type PortAddress = { readonly address: string; readonly port: number } | string;

/** A message from a worker to the primary. */
export type ToPort =
  | { readonly kind: 'listen'; readonly options: PortOptions }
  /** Takes the connection, which belongs to this worker from then on. */
  | { readonly kind: 'claim'; readonly id: number }
  /** Leaves the connection to others. `late`: another worker may have it; `full`: `maxConnections` are open; `missing`: the handle did not arrive. */
  | { readonly kind: 'decline'; readonly id: number; readonly why: 'late' | 'full' | 'missing' }
  /** Carries a handle of the listening socket, which the primary keeps without accepting. */
  | { readonly kind: 'keep' }
  /** Confirms that every message before `ping` has been read. */
  | { readonly kind: 'pong'; readonly id: number }
  | { readonly kind: 'quit' };

/** A message from the primary to a worker. */
export type FromPort =
  /** Carries a handle of the listening socket if the worker accepts by itself. */
  | { readonly kind: 'listening'; readonly address: PortAddress | null; readonly keep: boolean }
  | { readonly kind: 'failed'; readonly error: Readonly<Record<string, unknown>> }
  /** Carries a connection, to be claimed before the time `before` of the machine's monotonic clock. */
  | { readonly kind: 'hand'; readonly id: number; readonly before: number }
  | { readonly kind: 'ping'; readonly id: number }
  /** Tells a worker that claims nothing to ask for a successor. */
  | { readonly kind: 'replace' }
  /** Follows the last connection. */
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

/** Returns milliseconds of a clock that never jumps, and that all processes of a machine share. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
