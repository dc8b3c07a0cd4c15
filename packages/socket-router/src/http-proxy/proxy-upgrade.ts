import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type AskedBy, requestHeaders, responseHeaders } from './proxied-headers.ts';

// Not imported: docs/discoveries/what-an-import-of-node-http-loads.md
const http = process.getBuiltinModule('node:http');

export interface ProxiedUpgrade extends AskedBy {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What the client has sent behind its request. */
  readonly early: Buffer;
  /** The unix socket of the server. */
  readonly socketPath: string;
  /** Exactly once: when both connections have ended, or when nothing was answered and the client's goes on. */
  readonly ended: (outcome: 'answered' | 'unanswered' | 'failed' | 'client-left') => void;
}

/**
 * Sends a request for another protocol on. With the answer 101 the two connections are one; with any other the answer
 * goes back and the connection ends, since what the client sends after it would reach the server unseen.
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
    socket.write(headOf(answer));
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
    // What the client still sends is thrown away until the end of what it is sent.
    else (socket.resume() as Socket).destroySoon();
  });
  socket.once('close', () => peer.destroy());
  if (first.length > 0) socket.write(first);
  peer.pipe(socket);
  socket.pipe(peer);
}

function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  let head = `HTTP/1.1 ${statusCode} ${statusMessage}\r\n`;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    head += `${rawHeaders[index]}: ${rawHeaders[index + 1]}\r\n`;
  }
  return `${head}\r\n`;
}

function sendBack(answer: IncomingMessage, request: IncomingMessage, socket: Duplex): void {
  const response = responseOn(socket, request);
  const headers = responseHeaders(answer.rawHeaders);
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, [
    ...headers,
    'connection',
    'close',
  ]);
  answer.pipe(response);
  // One that is cut off ends nothing by itself.
  answer.once('close', () => {
    if (!answer.complete) socket.destroy();
  });
}

/** A server gives an upgrade's socket away: the answer to it has to be made by hand. */
function responseOn(socket: Duplex, request: IncomingMessage): ServerResponse {
  const response = new http.ServerResponse(request);
  response.assignSocket(socket as Socket);
  response.once('finish', () => socket.end());
  return response;
}
