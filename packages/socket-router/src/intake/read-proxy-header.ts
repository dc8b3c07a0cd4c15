import type { Socket } from 'node:net';
import type { ProxiedAddresses } from '../contract/head.ts';
import type { ProxyReader } from '../reading/proxy-protocol/proxy-protocol.ts';

export interface ProxyHeaderOptions {
  readonly reader: ProxyReader;
  readonly timeoutMs: number;
  /** Called with the addresses of the header, if it has any, when it is read: the next bytes in the socket are the client's. */
  readonly read: (addresses: ProxiedAddresses | undefined) => void;
  /** Called when the connection does not begin with a header; it is closed. */
  readonly refused: (reason: string) => void;
}

/** Reads the PROXY header of a connection whose server reads only on demand (`highWaterMark: 0`), and no more. */
export function readProxyHeader(socket: Socket, options: ProxyHeaderOptions): void {
  const chunks: Buffer[] = [];
  const stop = (): void => {
    clearTimeout(timer);
    socket.off('readable', onReadable);
    socket.off('end', onEnd);
    socket.off('close', stop);
  };
  const refuse = (reason: string): void => {
    stop();
    socket.destroy();
    options.refused(reason);
  };
  const onReadable = (): void => {
    for (;;) {
      const chunk = socket.read() as Buffer | null;
      if (chunk === null) return;
      chunks.push(chunk);
      const state = options.reader.push(chunk);
      if (state.kind === 'incomplete') continue;
      if (state.kind !== 'proxy') {
        refuse(state.kind === 'none' ? 'proxy-header-missing' : `proxy-header-${state.reason}`);
        return;
      }
      stop();
      const { source, destination, headerBytes } = state;
      const rest = Buffer.concat(chunks).subarray(headerBytes);
      if (rest.length > 0) socket.unshift(rest);
      const isKnown = source !== undefined && destination !== undefined;
      options.read(isKnown ? { source, destination } : undefined);
      return;
    }
  };
  const onEnd = (): void => refuse('proxy-header-cut-off');
  const timer = setTimeout(() => refuse('proxy-header-timeout'), options.timeoutMs);
  socket.on('readable', onReadable);
  socket.once('end', onEnd);
  socket.once('close', stop);
  socket.on('error', () => {});
}
