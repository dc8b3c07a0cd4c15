import type { Socket } from 'node:net';

/** Milliseconds in which a refused client may send the rest of its request and read the answer. */
const LINGER_MS = 1000;

const body = JSON.stringify({ type: 'about:blank', title: 'Service Unavailable', status: 503 });
const head = [
  'HTTP/1.1 503 Service Unavailable',
  'Connection: close',
  'Retry-After: 1',
  'Content-Type: application/problem+json',
  `Content-Length: ${body.length}`,
  '\r\n',
].join('\r\n');

/** Method at the beginning of an HTTP/1 request. TLS begins with a byte of 22. */
const METHOD = /^[A-Z]{3}/;
const HTTP2 = 'PRI';

/**
 * Answers a connection that no worker has read with 503 and `Retry-After`, and closes it. A connection without an unencrypted
 * HTTP/1 request is closed without an answer, which its client would not understand.
 */
export function refuseConnection(socket: Socket): void {
  // The request is read to its end, whatever the length of its body: a reset would take the answer from the client.
  const end = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(end));
  socket.once('data', (chunk: Buffer) => {
    const begin = chunk.toString('latin1', 0, 4);
    if (!METHOD.test(begin) || begin.startsWith(HTTP2)) socket.destroy();
    else socket.end(begin === 'HEAD' ? head : head + body);
  });
  socket.resume();
}
