import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

// Not imported: docs/discoveries/what-an-import-of-node-http-loads.md
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** Milliseconds that a client has to send the rest of its request, or to read the answer, before the connection is closed. */
const LINGER_MS = 1000;
/** Seconds after which a client that is refused for want of a worker may ask again: what is full now may not be then. */
const RETRY_AFTER_S = 1;
/** Alert `internal_error`, fatal, RFC 8446 6.2: the one answer before a handshake that all versions understand. */
const TLS_ALERT = Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x50]);

/** Body and type of an answer that the router writes itself: RFC 9457, a problem of which the status says all. */
const PROBLEM_TYPE = 'application/problem+json';
function problemOf(status: number): string {
  return JSON.stringify({ type: 'about:blank', title: reasonOf(status), status });
}

function reasonOf(status: number): string {
  return STATUS_CODES[status] ?? 'Refused';
}

/** The answer of a router that passes a request to no worker. */
function refusalText(status: number, isHead: boolean): string {
  const body = problemOf(status);
  const retry = status === 503 ? `Retry-After: ${RETRY_AFTER_S}\r\n` : '';
  return (
    `HTTP/1.1 ${status} ${reasonOf(status)}\r\nConnection: close\r\n${retry}` +
    `Content-Type: ${PROBLEM_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${isHead ? '' : body}`
  );
}

export interface RefusedClient {
  readonly speaksTls?: boolean;
  /** Its request is a HEAD, whose answer has no body. */
  readonly isHead?: boolean;
}

/** Answers and closes; status 0 closes without a word, and a TLS client gets an alert. */
export function refuseSocket(socket: Socket, status: number, client: RefusedClient = {}): void {
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
  socket.end(client.speaksTls ? TLS_ALERT : refusalText(status, client.isHead ?? false));
}

/** Answers a request that no worker will answer; one whose answer has begun is cut off, so that the client sees it. */
export function answerFailure(response: ServerResponse, status: number): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (status === 503) response.setHeader('retry-after', RETRY_AFTER_S);
  const body = Buffer.from(problemOf(status));
  response.writeHead(status, {
    'content-type': PROBLEM_TYPE,
    'content-length': body.length,
    connection: 'close',
  });
  const { req: request } = response;
  if (!hasBody(request) || request.complete || request.destroyed) {
    response.end(body);
    return;
  }
  // The connection ends with the answer, and a close with unread bytes resets it, so that the client may never see the
  // answer: first what it still sends is read and thrown away.
  response.flushHeaders();
  const end = (): void => {
    clearTimeout(timer);
    response.end(body);
  };
  const timer = setTimeout(end, LINGER_MS);
  request.once('close', end);
  request.resume();
}

/** Whether a request says that a body follows its head. */
export function hasBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  const length = headers['content-length'];
  return length !== undefined && length !== '0';
}
