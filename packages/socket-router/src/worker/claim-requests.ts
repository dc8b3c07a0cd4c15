import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { AttachableServer } from '../contract/worker-handle.ts';
import { answerRequest, answerSocket, problem } from '../server/answers.ts';
import { interceptRequests } from '../server/intercept-requests.ts';
import { CLAIM_TERMS, decodeTerms, type MarkWriter } from '../wire/claim-marks.ts';
import { monotonicMs } from '../wire/monotonic-clock.ts';

export interface ClaimOptions {
  /** Connections whose other end is a router, or one of its workers. */
  readonly connections: ReadonlySet<Socket>;
  readonly marks: MarkWriter;
}

/**
 * Claims each request that a router has sent on terms, before the server gets it: until then the router may answer it itself. A
 * request that comes too late, because this process was stopped or busy, is refused and runs nowhere.
 */
export function claimRequests(
  server: AttachableServer,
  { connections, marks }: ClaimOptions,
): void {
  interceptRequests(server, (event, [first, second]) => {
    const { socket, headers } = first as IncomingMessage;
    if (headers[CLAIM_TERMS] === undefined || !connections.has(socket)) return false;
    const terms = decodeTerms(headers[CLAIM_TERMS]);
    if (terms === undefined) return false;
    if (monotonicMs() >= terms.before) {
      if (event === 'upgrade' || event === 'connect') answerSocket(socket, problem(503));
      else answerRequest(second as ServerResponse, problem(503));
      return true;
    }
    // The process may be stopped in between, and the router may have answered: no answer is better than two.
    marks.write(terms);
    if (monotonicMs() < terms.before) return false;
    socket.destroy();
    return true;
  });
}
