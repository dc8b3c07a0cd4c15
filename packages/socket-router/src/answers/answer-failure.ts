import type { ServerResponse } from 'node:http';
import { hasBody } from '../proxying/has-body.ts';
import { PROBLEM_TYPE, problemOf, RETRY_AFTER_S } from './refuse-socket.ts';

/** Milliseconds that a client has to send the rest of its request. */
const LINGER_MS = 1000;

/** Answers a request that nobody else will answer; one whose answer has begun is cut off, so that the client sees it. */
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
