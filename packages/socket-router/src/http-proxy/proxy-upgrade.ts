import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { headText } from '../reading/http/head-text.ts';
import {
  hasBadAnswer,
  isPassable,
  type RequestOrigin,
  requestHeaders,
  responseHeaders,
} from './proxied-headers.ts';
import { createWorkerRequest } from './worker-request.ts';

// Not imported: docs/discoveries/what-an-import-of-node-http-loads.md
const http = process.getBuiltinModule('node:http');

export interface ProxiedUpgrade extends RequestOrigin {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** Bytes that the client has sent after its request. */
  readonly early: Buffer;
  /** The worker's unix socket. */
  readonly socketPath: string;
  /** Longest head of an answer; Node's own limit if `undefined`. */
  readonly answerHeadBytes?: number | undefined;
  /** Called exactly once: when both connections have ended, or when no answer came and the client's is still open. */
  readonly ended: (
    outcome: 'answered' | 'unanswered' | 'failed' | 'client-left' | 'abandoned',
  ) => void;
}

/**
 * Proxies a request for another protocol. After the answer 101 bytes go both ways; after any other answer the client's
 * connection ends, because its further bytes would reach the worker unchecked. Returns a function that abandons the request,
 * which is then the caller's to answer, if it has no answer yet.
 */
export function proxyUpgrade(upgrade: ProxiedUpgrade): () => void {
  const { request, socket, early } = upgrade;
  let outgoing: ClientRequest;
  try {
    outgoing = requestUpgrade(upgrade);
  } catch {
    upgrade.ended('failed');
    return () => {};
  }
  let isAnswered = false;
  const close = (): void => {
    outgoing.destroy();
    upgrade.ended(isAnswered ? 'answered' : 'client-left');
  };
  const fail = (outcome: 'unanswered' | 'failed' | 'abandoned'): void => {
    if (isAnswered || socket.destroyed) return;
    isAnswered = true;
    socket.off('close', close);
    upgrade.ended(outcome);
    outgoing.destroy();
  };
  socket.once('close', close);
  socket.on('error', () => socket.destroy());
  outgoing.on('error', (error) => {
    const maySendAgain = request.method === 'GET' && !hasBadAnswer(error);
    fail(maySendAgain ? 'unanswered' : 'failed');
  });
  outgoing.on('response', (answer) => {
    answer.on('error', () => {});
    const response = isPassable(answer) ? beginAnswer(answer, request) : undefined;
    if (response === undefined) {
      fail('failed');
      return;
    }
    isAnswered = true;
    sendBack(answer, response, socket as Socket);
  });
  outgoing.on('upgrade', (answer, peer: Socket, first: Buffer) => {
    peer.on('error', () => socket.destroy());
    if (answer.statusCode !== 101) {
      peer.destroy();
      fail('failed');
      return;
    }
    isAnswered = true;
    const { statusMessage, headers } = answer;
    const fields = responseHeaders(answer.rawHeaders);
    fields.push('Connection', 'upgrade', 'Upgrade', headers.upgrade ?? '');
    socket.write(headText(`HTTP/1.1 101 ${statusMessage}`, fields), 'latin1');
    join(socket, peer, first);
    if (early.length > 0) peer.write(early);
  });
  outgoing.end();
  return () => fail('abandoned');
}

function requestUpgrade(upgrade: ProxiedUpgrade): ClientRequest {
  const { request, socketPath, answerHeadBytes } = upgrade;
  const headers = requestHeaders(request, upgrade);
  headers.push('connection', 'upgrade', 'upgrade', request.headers.upgrade ?? '');
  return createWorkerRequest({ request, headers, agent: false, socketPath, answerHeadBytes });
}

/** Passes bytes both ways until either end has closed. */
function join(socket: Duplex, peer: Socket, first: Buffer): void {
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

/** Node makes no response for an upgrade, whose socket it gives away. Returns `undefined` if it refuses the worker's bytes. */
function beginAnswer(
  answer: IncomingMessage,
  request: IncomingMessage,
): ServerResponse | undefined {
  const response = new http.ServerResponse(request);
  const headers = responseHeaders(answer.rawHeaders);
  headers.push('connection', 'close');
  try {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers);
    return response;
  } catch {
    return undefined;
  }
}

function sendBack(answer: IncomingMessage, response: ServerResponse, socket: Socket): void {
  response.assignSocket(socket);
  response.once('finish', () => socket.end());
  answer.pipe(response);
  // An answer that is cut off does not end the response by itself.
  answer.once('close', () => {
    if (!answer.complete) socket.destroy();
  });
}
