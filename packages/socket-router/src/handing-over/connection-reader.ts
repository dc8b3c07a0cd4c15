import type { Socket } from 'node:net';
import { type HeldConnection, holdConnection } from '../placing/held-connection.ts';
import { HeadSniffer, type ReadHead, type SnifferOptions } from '../reading/head-sniffer.ts';
import type { ProxyReader } from '../reading/proxy-protocol/proxy-protocol.ts';
import { monotonicMs } from '../wire/monotonic-clock.ts';

export interface ConnectionReaderOptions extends SnifferOptions {
  readonly headTimeoutMs: number;
  readonly maxWaitMs: number;
  read(connection: HeldConnection, head: ReadHead): void;
  /** Status 0 closes without an answer. */
  refused(connection: HeldConnection, status: number, reason: string): void;
  /** It waited for a worker for too long. */
  overdue(connection: HeldConnection): void;
  /** The client left while its head was read. */
  gone(connection: HeldConnection): void;
}

/**
 * Holds the connection of a server that reads only on demand (`highWaterMark: 0`), and reads its head and no more: what
 * follows the read that ends the head stays in the socket.
 */
export function readConnection(
  id: number,
  socket: Socket,
  proxyReader: ProxyReader | undefined,
  options: ConnectionReaderOptions,
): HeldConnection {
  const connection = holdConnection(id, socket);
  const sniffer = new HeadSniffer(options, proxyReader);
  const chunks: Buffer[] = [];
  const isSilent = (): boolean => chunks.length === 0 || sniffer.speaksTls;
  socket.on('readable', () => {
    while (connection.stage === 'reading') {
      // One read of at most 64 KiB. When it returns nothing, it has ordered the next one.
      const chunk = socket.read() as Buffer | null;
      if (chunk === null) return;
      chunks.push(chunk);
      const sniffed = sniffer.push(chunk);
      connection.bytes = chunks[0] ?? chunk;
      if (sniffed.kind === 'refused') options.refused(connection, sniffed.status, sniffed.reason);
      if (sniffed.kind !== 'read') continue;
      connection.stage = 'waiting';
      connection.arrivedAt = monotonicMs();
      connection.hasHead = sniffed.head.kind !== 'tcp';
      clearTimeout(connection.timer);
      connection.timer = setTimeout(() => options.overdue(connection), options.maxWaitMs);
      const all = chunks.length === 1 ? chunk : Buffer.concat(chunks);
      connection.bytes = sniffer.proxyBytes === 0 ? all : all.subarray(sniffer.proxyBytes);
      connection.proxy = sniffer.proxy;
      connection.speaksTls = sniffer.speaksTls;
      options.read(connection, sniffed.head);
    }
  });
  socket.on('end', () => {
    if (connection.stage !== 'reading') return;
    options.refused(connection, isSilent() ? 0 : 400, 'head-cut-off');
  });
  // A client that resets the connection has left; in later stages the worker finds out.
  socket.on('error', () => {});
  socket.on('close', () => {
    if (connection.stage === 'reading') options.gone(connection);
  });
  connection.timer = setTimeout(() => {
    options.refused(connection, isSilent() ? 0 : 408, 'head-timeout');
  }, options.headTimeoutMs);
  return connection;
}
