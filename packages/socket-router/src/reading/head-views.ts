import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Head, ProxiedAddresses } from '../contract/head.ts';
import type { ReadHead } from './head-sniffer.ts';

/** What a route function sees of a connection. */
export function headOf(read: ReadHead, socket: Socket, proxy: ProxiedAddresses | undefined): Head {
  const from = {
    // The platform asks the system for it: only for those who look.
    get remoteAddress(): string | undefined {
      return proxy?.source.address ?? socket.remoteAddress;
    },
    ...(proxy && { proxy }),
  };
  return Object.assign(from, describe(read));
}

/** What a route function sees of a request that was read whole. */
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

function describe(read: ReadHead): Omit<Head, 'remoteAddress' | 'proxy'> {
  if (read.kind === 'h2c') return { kind: 'h2c' };
  if (read.kind === 'http1') {
    const { method, target, header } = read;
    return { kind: 'http1', method, target, header };
  }
  return { kind: 'tls', alpn: read.alpn, ...(read.sni !== undefined && { sni: read.sni }) };
}
