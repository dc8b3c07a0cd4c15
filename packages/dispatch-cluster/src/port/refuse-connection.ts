import type { Socket } from 'node:net';

/** Milliseconds for a client whose connection is refused to send the rest of its request and to read the answer. */
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

/** Begins each request of HTTP/1: a method. TLS begins with a byte of 22. */
const METHOD = /^[A-Z]{3}/;
const HTTP2 = 'PRI';

/**
 * Answers a connection that no worker has read with 503 and `Retry-After`, and closes it. One that has sent no request of
 * HTTP/1 in the clear is closed without an answer, which it would not understand.
 */
export function refuseConnection(socket: Socket): void {
  // It is read to its end, however long its body is: a reset would take the answer from its client.
  const end = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(end));
  socket.once('data', (chunk: Buffer) => {
    const begin = chunk.toString('latin1', 0, 4);
    if (!METHOD.test(begin) || begin.startsWith(HTTP2)) socket.destroy();
    else socket.end(begin === 'HEAD' ? head : head + body);
  });
  socket.resume();
}
