import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { answerRequest, answerSocket, problem } from '../answers.ts';
import type { AttachableServer } from '../contract/worker-handle.ts';
import { monotonicMs } from '../wire/monotonic-clock.ts';
import { decodeTerms, type MarkWriter, TAKE_TERMS } from '../wire/taken-marks.ts';
import { interceptRequests } from './server-events.ts';

export interface TakeOptions {
  /** Those whose other end is a router, or one of its workers. */
  readonly connections: ReadonlySet<Socket>;
  readonly marks: MarkWriter;
}

/**
 * Takes each request that a router has sent on terms, before the server gets it: until then the router may answer it itself. A
 * request that comes too late, since this process was stopped or busy, is refused and runs nowhere.
 */
export function takeRequests(server: AttachableServer, { connections, marks }: TakeOptions): void {
  interceptRequests(server, (event, [first, second]) => {
    const { socket, headers } = first as IncomingMessage;
    if (headers[TAKE_TERMS] === undefined || !connections.has(socket)) return false;
    const terms = decodeTerms(headers[TAKE_TERMS]);
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
