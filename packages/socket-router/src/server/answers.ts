import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { anObject } from '@ticketing/kit';

// Not imported: docs/discoveries/what-an-import-of-node-http-loads.md
const { STATUS_CODES, validateHeaderName, validateHeaderValue } =
  process.getBuiltinModule('node:http');

/** Milliseconds for a client to send the rest of its request, or to read the answer. */
export const LINGER_MS = 1000;
/** Seconds after which a client that got 503 may ask again. */
const RETRY_AFTER_S = '1';
/** Alert `internal_error`, fatal, RFC 8446 6.2: the one answer before a handshake that all versions understand. */
const TLS_ALERT = Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x50]);

/** An answer that no worker writes: the router's own, or one that a route function returned. */
export interface RouterAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Returns the answer of a refusal: a problem, RFC 9457, that only names the status. */
export function problem(status: number): RouterAnswer {
  const title = reasonOf(status);
  return {
    status,
    headers: {
      ...(status === 503 && { 'Retry-After': RETRY_AFTER_S }),
      'Content-Type': 'application/problem+json',
    },
    body: Buffer.from(JSON.stringify({ type: 'about:blank', title, status })),
  };
}

function reasonOf(status: number): string {
  return STATUS_CODES[status] ?? (status < 400 ? 'Answered' : 'Refused');
}

/** Statuses whose answers have no body, and so no length: RFC 9110 8.6. */
const BODILESS = new Set([204, 304]);

function answerBytes({ status, headers, body }: RouterAnswer, isHead: boolean): Buffer {
  const lines = [`HTTP/1.1 ${status} ${reasonOf(status)}`, 'Connection: close'];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (!BODILESS.has(status)) lines.push(`Content-Length: ${body.length}`);
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return isHead || BODILESS.has(status) ? head : Buffer.concat([head, body]);
}

export interface AnsweredClient {
  readonly speaksTls?: boolean;
  /** True for the client of a HEAD request, whose answer has no body. */
  readonly isHead?: boolean;
}

/** Answers a connection and closes it; a TLS client gets an alert. */
export function answerSocket(
  socket: Socket,
  answer: RouterAnswer,
  client: AnsweredClient = {},
): void {
  if (socket.destroyed) return;
  // A close with unread bytes resets the connection, and the client may never see the answer: the router reads and
  // discards what it still sends, until it closes its side.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.removeAllListeners('readable');
  socket.on('error', () => {});
  socket.once('end', () => socket.destroySoon());
  socket.on('data', () => {});
  socket.end(client.speaksTls ? TLS_ALERT : answerBytes(answer, client.isHead ?? false));
}

/** Answers a request, and closes its connection; cuts off an answer that has begun, so that the client notices. */
export function answerRequest(
  response: ServerResponse,
  { status, headers, body }: RouterAnswer,
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, reasonOf(status), {
    ...headers,
    ...(!BODILESS.has(status) && { 'content-length': body.length }),
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

/** Returns whether an answer has begun, or is to come. */
export function isPending(response: ServerResponse | undefined): response is ServerResponse {
  return response !== undefined && !response.writableFinished && !response.destroyed;
}

/** Returns whether a request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  const length = headers['content-length'];
  return length !== undefined && length !== '0';
}

/** Headers of how an answer is sent, which the router decides. */
const RESERVED = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Checks the `answer` of a route; `undefined` when it cannot be sent. */
export function resolveAnswer(value: unknown): RouterAnswer | undefined {
  const { status, headers = {}, body = '' } = Object(value) as Record<string, unknown>;
  if (!Number.isSafeInteger(status) || (status as number) < 200 || (status as number) > 599) return;
  if (!anObject.test(headers)) return;
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return;
  const sent: Record<string, string> = {};
  for (const [name, text] of Object.entries(headers as Record<string, unknown>)) {
    if (text === undefined) continue;
    if (!isHeader(name, text)) return;
    sent[name.toLowerCase()] = text;
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : Buffer.from(body);
  if (bytes.length > 0) sent['content-type'] ??= 'text/plain; charset=utf-8';
  return { status: status as number, headers: sent, body: bytes };
}

function isHeader(name: string, text: unknown): text is string {
  if (typeof text !== 'string' || RESERVED.has(name.toLowerCase())) return false;
  try {
    validateHeaderName(name);
    validateHeaderValue(name, text);
    return true;
  } catch {
    return false;
  }
}
