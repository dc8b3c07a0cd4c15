import type { Server } from 'node:net';

/** Any server of the platform: net, tls, http, https, http2. They differ in what they can do to end. */
export type AttachableServer = Server & {
  /** Of http and https. */
  closeIdleConnections?(): void;
};

/** Whether a value is a server that can be given connections. */
export function isServer(value: unknown): value is Server {
  const { emit, listen, address } = Object(value) as Record<string, unknown>;
  return [emit, listen, address].every((method) => typeof method === 'function');
}

/** What the server does with the connections that it accepts itself. */
export function allowsHalfOpen(server: AttachableServer): boolean {
  return (server as { allowHalfOpen?: boolean }).allowHalfOpen ?? false;
}
