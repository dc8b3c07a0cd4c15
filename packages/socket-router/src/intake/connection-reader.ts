import { type HeldConnection, limit, read, receive } from '../placing/held-connection.ts';
import type { HeadSniffer, ReadHead } from './head-sniffer.ts';

/** Change of a connection before it has a worker. */
export type HeldEvent =
  | { readonly kind: 'read'; readonly head: ReadHead }
  /** Status 0 closes without an answer. */
  | { readonly kind: 'refused'; readonly status: number; readonly reason: string }
  /** The client left while its head was read. */
  | { readonly kind: 'gone' };

export interface ConnectionReaderOptions {
  readonly sniffer: HeadSniffer;
  readonly headTimeoutMs: number;
  readonly emit: (event: HeldEvent) => void;
}

/**
 * Reads the head of a connection and no more, if its server reads only on demand (`highWaterMark: 0`): what follows the
 * read that ends the head stays in the socket.
 */
export function readConnection(
  connection: HeldConnection,
  { sniffer, headTimeoutMs, emit }: ConnectionReaderOptions,
): void {
  const { socket } = connection;
  const chunks: Buffer[] = [];
  const refuse = (status: number, reason: string): void =>
    emit({ kind: 'refused', status, reason });
  const isSilent = (): boolean => chunks.length === 0 || sniffer.speaksTls;
  const isReading = (): boolean => connection.stage.kind === 'reading';
  socket.on('readable', () => {
    while (isReading()) {
      // One read of at most 64 KiB. When it returns nothing, it has ordered the next one.
      const chunk = socket.read() as Buffer | null;
      if (chunk === null) return;
      chunks.push(chunk);
      if (chunks.length === 1) receive(connection, chunk);
      const sniffed = sniffer.push(chunk);
      if (sniffed.kind === 'refused') refuse(sniffed.status, sniffed.reason);
      if (sniffed.kind !== 'read') continue;
      const { head } = sniffed;
      const all = chunks.length === 1 ? chunk : Buffer.concat(chunks);
      read(connection, {
        bytes: sniffer.proxyBytes === 0 ? all : all.subarray(sniffer.proxyBytes),
        hasHead: head.kind !== 'tcp',
        speaksTls: sniffer.speaksTls,
        proxy: sniffer.proxy,
      });
      emit(sniffed);
    }
  });
  socket.on('end', () => {
    if (isReading()) refuse(isSilent() ? 0 : 400, 'head-cut-off');
  });
  // A client that resets the connection has left; in later stages the worker finds out.
  socket.on('error', () => {});
  socket.on('close', () => {
    if (isReading()) emit({ kind: 'gone' });
  });
  limit(connection, headTimeoutMs, () => refuse(isSilent() ? 0 : 408, 'head-timeout'));
}
