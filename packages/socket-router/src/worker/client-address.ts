import type { Socket } from 'node:net';
import type { ProxiedAddresses } from '../contract/head.ts';
import type { AttachableServer } from '../contract/worker-handle.ts';

/** Replaces the address of a connection by the client's address from the PROXY header. */
export class ClientAddresses {
  readonly #server: AttachableServer;
  /** Addresses by the proxy's own address and port, which only one connection has at a time. */
  readonly #raw = new Map<string, ProxiedAddresses>();

  constructor(server: AttachableServer) {
    this.#server = server;
  }

  set(socket: Socket, proxy: ProxiedAddresses): void {
    if (this.#raw.size === 0) this.#server.prependListener('secureConnection', this.#onSecure);
    const name = endpointOf(socket);
    this.#raw.set(name, proxy);
    socket.once('close', () => {
      this.#raw.delete(name);
      if (this.#raw.size === 0) this.#server.off('secureConnection', this.#onSecure);
    });
    show(socket, proxy);
  }

  /** Shows the address on the socket of TLS, which gives no public access to the one that it wraps. */
  readonly #onSecure = (socket: Socket): void => {
    const proxy = this.#raw.get(endpointOf(socket));
    if (proxy !== undefined) show(socket, proxy);
  };
}

function endpointOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function show(socket: Socket, { source }: ProxiedAddresses): void {
  Object.defineProperties(socket, {
    remoteAddress: { value: source.address, configurable: true },
    remotePort: { value: source.port, configurable: true },
    remoteFamily: { value: source.address.includes(':') ? 'IPv6' : 'IPv4', configurable: true },
  });
}
