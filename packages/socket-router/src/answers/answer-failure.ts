import type { ServerResponse } from 'node:http';

/** Answers a request that nobody else will answer; one whose answer has begun is cut off, so that the client sees it. */
export function answerFailure(response: ServerResponse, status: number): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { 'content-length': 0, connection: 'close' });
  response.end();
}
