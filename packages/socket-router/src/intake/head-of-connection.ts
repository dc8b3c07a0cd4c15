import type { Socket } from 'node:net';
import type { Head, ProxiedAddresses } from '../contract/head.ts';
import type { ReadHead } from './head-sniffer.ts';

/** Returns what a route function sees of a connection. */
export function headOfConnection(
  read: ReadHead,
  socket: Socket,
  proxy: ProxiedAddresses | undefined,
): Head {
  const origin = {
    // A getter, because the platform asks the system for the address.
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
