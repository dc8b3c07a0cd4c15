import { createServer, type Server, type Socket } from 'node:net';
import type { ProxiedAddresses } from '../contract/head.ts';
import type { ProxyReader } from '../reading/proxy-protocol/proxy-protocol.ts';

export interface ProxiedServerOptions {
  readonly createProxyReader: () => ProxyReader;
  readonly isProxy: (address: string | undefined) => boolean;
  /** Milliseconds for the PROXY header. */
  readonly timeoutMs: number;
  /** Addresses that a PROXY header told, before the connection is passed on. */
  readonly proxied: (socket: Socket, addresses: ProxiedAddresses) => void;
  readonly refused: (reason: string) => void;
}

/** Creates a server that takes the PROXY headers off the connections of proxies and passes all on to another server. */
export function createProxiedServer(target: Server, options: ProxiedServerOptions): Server {
  // Without a buffer a socket reads once when it is asked to, so what follows is left to the target.
  return createServer({ highWaterMark: 0, allowHalfOpen: true, noDelay: true }, (socket) => {
    if (options.isProxy(socket.remoteAddress)) readProxyHeader(target, options, socket);
    else target.emit('connection', socket);
  });
}

function readProxyHeader(target: Server, options: ProxiedServerOptions, socket: Socket): void {
  const reader = options.createProxyReader();
  const chunks: Buffer[] = [];
  const refuse = (reason: string): void => {
    stop();
    socket.destroy();
    options.refused(reason);
  };
  const read = (): void => {
    for (;;) {
      const chunk = socket.read() as Buffer | null;
      if (chunk === null) return;
      chunks.push(chunk);
      const state = reader.push(chunk);
      if (state.kind === 'incomplete') continue;
      if (state.kind !== 'proxy') {
        refuse(state.kind === 'none' ? 'proxy-header-missing' : `proxy-header-${state.reason}`);
        return;
      }
      stop();
      const { source, destination } = state;
      if (source !== undefined && destination !== undefined) {
        options.proxied(socket, { source, destination });
      }
      const rest = Buffer.concat(chunks).subarray(state.headerBytes);
      if (rest.length > 0) socket.unshift(rest);
      target.emit('connection', socket);
      return;
    }
  };
  const cutOff = (): void => refuse('proxy-header-cut-off');
  const timer = setTimeout(() => refuse('proxy-header-timeout'), options.timeoutMs);
  const stop = (): void => {
    clearTimeout(timer);
    socket.off('readable', read);
    socket.off('end', cutOff);
    socket.off('close', stop);
  };
  socket.on('readable', read);
  socket.once('end', cutOff);
  socket.once('close', stop);
  socket.on('error', () => {});
}
