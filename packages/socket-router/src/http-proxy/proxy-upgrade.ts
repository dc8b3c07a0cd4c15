import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  headText,
  type RequestOrigin,
  requestHeaders,
  responseHeaders,
} from './proxied-headers.ts';

// Not imported: docs/discoveries/what-an-import-of-node-http-loads.md
const http = process.getBuiltinModule('node:http');

export interface ProxiedUpgrade extends RequestOrigin {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** Bytes that the client has sent after its request. */
  readonly early: Buffer;
  /** The worker's unix socket. */
  readonly socketPath: string;
  /** Called exactly once: when both connections have ended, or when no answer came and the client's is still open. */
  readonly ended: (outcome: 'answered' | 'unanswered' | 'failed' | 'client-left') => void;
}

/**
 * Proxies a request for another protocol. After the answer 101 bytes go both ways; after any other answer the client's
 * connection ends, since its further bytes would reach the worker unchecked.
 */
export function proxyUpgrade(upgrade: ProxiedUpgrade): void {
  const { request, socket, early, socketPath } = upgrade;
  const outgoing = http.request({
    socketPath,
    method: request.method ?? 'GET',
    path: request.url ?? '/',
    headers: [
      ...requestHeaders(request, upgrade),
      'connection',
      'upgrade',
      'upgrade',
      request.headers.upgrade ?? '',
    ],
    agent: false,
  });
  let isAnswered = false;
  const close = (): void => {
    outgoing.destroy();
    upgrade.ended(isAnswered ? 'answered' : 'client-left');
  };
  socket.once('close', close);
  socket.on('error', () => socket.destroy());
  outgoing.on('error', () => {
    if (isAnswered || socket.destroyed) return;
    socket.off('close', close);
    upgrade.ended(request.method === 'GET' ? 'unanswered' : 'failed');
  });
  outgoing.on('response', (answer) => {
    isAnswered = true;
    sendBack(answer, request, socket);
  });
  outgoing.on('upgrade', (answer, peer: Socket, first: Buffer) => {
    isAnswered = true;
    const { statusCode, statusMessage, rawHeaders } = answer;
    socket.write(headText(`HTTP/1.1 ${statusCode} ${statusMessage}`, rawHeaders));
    join(socket, peer, first);
    if (early.length > 0) peer.write(early);
  });
  outgoing.end();
}

/** Bytes go both ways until either end has closed. */
function join(socket: Duplex, peer: Socket, first: Buffer): void {
  peer.on('error', () => socket.destroy());
  peer.once('close', () => {
    if (!peer.readableEnded) socket.destroy();
    // What the client still sends is discarded until it has got all.
    else (socket.resume() as Socket).destroySoon();
  });
  socket.once('close', () => peer.destroy());
  if (first.length > 0) socket.write(first);
  peer.pipe(socket);
  socket.pipe(peer);
}

/** Node makes no response for an upgrade, whose socket it gives away. */
function sendBack(answer: IncomingMessage, request: IncomingMessage, socket: Duplex): void {
  const response = new http.ServerResponse(request);
  response.assignSocket(socket as Socket);
  response.once('finish', () => socket.end());
  const headers = [...responseHeaders(answer.rawHeaders), 'connection', 'close'];
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers);
  answer.pipe(response);
  // An answer that is cut off does not end the response by itself.
  answer.once('close', () => {
    if (!answer.complete) socket.destroy();
  });
}
