import type { Socket } from 'node:net';

// Not imported: docs/discoveries/what-an-import-of-node-http-loads.md
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** Milliseconds that a client has to read the answer before the connection is closed. */
const LINGER_MS = 1000;
/** Seconds after which a client that is refused for want of a worker may ask again: what is full now may not be then. */
export const RETRY_AFTER_S = 1;
/** Alert `internal_error`, fatal, RFC 8446 6.2: the one answer before a handshake that all versions understand. */
const TLS_ALERT = Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x50]);

/** The answer of a router that passes a request to nobody. */
function refusalText(status: number): string {
  const reason = STATUS_CODES[status] ?? 'Refused';
  const retry = status === 503 ? `Retry-After: ${RETRY_AFTER_S}\r\n` : '';
  return `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\n${retry}Content-Length: 0\r\n\r\n`;
}

/** Answers and closes; status 0 closes without a word, and a TLS client gets an alert. */
export function refuseSocket(socket: Socket, status: number, speaksTls: boolean): void {
  if (status === 0 || socket.destroyed) {
    socket.destroy();
    return;
  }
  // A close with unread bytes resets the connection, and the client may never see the answer: what it still sends
  // is read and thrown away until it has closed its side.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.removeAllListeners('readable');
  socket.on('error', () => {});
  socket.once('end', () => socket.destroySoon());
  socket.on('data', () => {});
  socket.end(speaksTls ? TLS_ALERT : refusalText(status));
}
