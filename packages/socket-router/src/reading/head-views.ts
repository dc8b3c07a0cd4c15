import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Head, ProxiedAddresses } from '../contract/head.ts';
import type { ReadHead } from './head-sniffer.ts';

/** Returns what a route function sees of a connection. */
export function headOf(read: ReadHead, socket: Socket, proxy: ProxiedAddresses | undefined): Head {
  const origin = {
    // A getter, since the platform asks the system for the address.
    get remoteAddress(): string | undefined {
      return proxy?.source.address ?? socket.remoteAddress;
    },
    ...(proxy && { proxy }),
  };
  if (read.kind === 'h2c' || read.kind === 'tcp') return Object.assign(origin, { kind: read.kind });
  if (read.kind === 'http1') {
    const { kind, method, target, header } = read;
    return Object.assign(origin, { kind, method, target, header });
  }
  const { alpn, sni } = read;
  return Object.assign(origin, { kind: 'tls' as const, alpn, ...(sni !== undefined && { sni }) });
}

/** Returns what a route function sees of a request that Node has parsed. */
export function headOfRequest(
  request: IncomingMessage,
  remoteAddress: string | undefined,
  proxy?: ProxiedAddresses,
): Head {
  return {
    kind: 'http1',
    method: request.method ?? '',
    target: request.url ?? '',
    header: (name) => {
      const key = name.toLowerCase();
      if (!Object.hasOwn(request.headers, key)) return undefined;
      const value = request.headers[key];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    remoteAddress,
    ...(proxy && { proxy }),
  };
}
