import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

// Not imported: docs/discoveries/what-an-import-of-node-http-loads.md
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** Milliseconds for a client to send the rest of its request, or to read the answer. */
const LINGER_MS = 1000;
/** Seconds after which a client that got 503 may ask again. */
const RETRY_AFTER_S = 1;
/** Alert `internal_error`, fatal, RFC 8446 6.2: the one answer before a handshake that all versions understand. */
const TLS_ALERT = Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x50]);

const PROBLEM_TYPE = 'application/problem+json';

/** Returns the body of an answer that the router writes itself: a problem, RFC 9457, that only names the status. */
function problemOf(status: number): string {
  return JSON.stringify({ type: 'about:blank', title: reasonOf(status), status });
}

function reasonOf(status: number): string {
  return STATUS_CODES[status] ?? 'Refused';
}

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

/** Answers a connection and closes it; status 0 closes without an answer, and a TLS client gets an alert. */
export function refuseSocket(socket: Socket, status: number, client: RefusedClient = {}): void {
  if (status === 0 || socket.destroyed) {
    socket.destroy();
    return;
  }
  // A close with unread bytes resets the connection, and the client may never see the answer: the router reads and
  // discards what it still sends, until it closes its side.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.removeAllListeners('readable');
  socket.on('error', () => {});
  socket.once('end', () => socket.destroySoon());
  socket.on('data', () => {});
  socket.end(client.speaksTls ? TLS_ALERT : refusalText(status, client.isHead ?? false));
}

/** Answers a request that no worker will answer; cuts off an answer that has begun, so that the client notices. */
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
  // The connection ends with the answer: as above, the rest of the request is read first.
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
