import { Agent, type IncomingMessage, request } from 'node:http';
import type { PlannedRequest } from './requests.ts';

/** Answer as it came, or the reason why it did not. */
export type Exchange =
  | {
      readonly how: 'answered';
      readonly status: number;
      readonly headers: IncomingMessage['headers'];
      readonly text: string;
    }
  | { readonly how: 'left'; readonly answering: boolean }
  | { readonly how: 'refused' }
  | { readonly how: 'cut'; readonly code: string; readonly status?: number | undefined }
  | { readonly how: 'hung'; readonly status?: number | undefined };

export interface Sent {
  readonly exchange: Exchange;
  /** Milliseconds in which the client did not read. */
  readonly heldMs: number;
}

/** Connections of all clients of a run. */
export interface Clients {
  /** Sends a request as its client behaves; resolves when it has ended, never rejects. `onAgain`: it is sent a second time. */
  send(planned: PlannedRequest, onAgain: () => void): Promise<Sent>;
  /** Closes the connections that are kept. They may be opened again. */
  close(): void;
}

const SLOW_PAUSE_MS = 40;
const SLOW_PAUSES = 10;
const KEPT_CONNECTIONS = 16;

/** `patienceMs`: longest time that any client waits. It is beyond each limit that is checked. */
export function createClients(
  url: string,
  { patienceMs }: { readonly patienceMs: number },
): Clients {
  const kept = new Agent({ keepAlive: true, maxSockets: KEPT_CONNECTIONS });
  const { hostname, port } = new URL(url);

  /** `isReused` of a cut: the connection had been kept, and no byte came. */
  function once(planned: PlannedRequest): Promise<Sent & { readonly isReused: boolean }> {
    const { client, target, accept, bodyBytes, leaveAfterMs } = planned;
    return new Promise((resolve) => {
      let status: number | undefined;
      let heldMs = 0;
      let isOver = false;
      const outgoing = request({
        ...{ hostname, port, path: target, method: bodyBytes > 0 ? 'POST' : 'GET' },
        agent: client === 'kept' || client === 'slow' ? kept : false,
        headers: {
          accept,
          ...(bodyBytes > 0 && {
            'content-type': 'application/octet-stream',
            'content-length': String(bodyBytes),
          }),
        },
      });
      const end = (exchange: Exchange): void => {
        if (isOver) return;
        isOver = true;
        clearTimeout(patience);
        clearTimeout(leaving);
        const isReused = outgoing.reusedSocket && status === undefined;
        resolve({ exchange, heldMs, isReused });
        if (exchange.how !== 'answered') outgoing.destroy();
      };
      const patience = setTimeout(() => end({ how: 'hung', status }), patienceMs);
      const leaving =
        leaveAfterMs === undefined
          ? undefined
          : setTimeout(() => end({ how: 'left', answering: status !== undefined }), leaveAfterMs);
      const cut = (error: NodeJS.ErrnoException): void => {
        const { code = error.message } = error;
        end(code === 'ECONNREFUSED' ? { how: 'refused' } : { how: 'cut', code, status });
      };
      outgoing.on('error', cut);
      outgoing.on('response', (response) => {
        status = response.statusCode ?? 0;
        const pieces: Buffer[] = [];
        response.on('error', cut);
        response.on('data', (piece: Buffer) => {
          pieces.push(piece);
          if (client === 'slow' && pieces.length <= SLOW_PAUSES) {
            response.pause();
            heldMs += SLOW_PAUSE_MS;
            setTimeout(() => response.resume(), SLOW_PAUSE_MS);
          }
        });
        response.on('end', () =>
          end({
            ...{ how: 'answered', status: status ?? 0, headers: response.headers },
            text: Buffer.concat(pieces).toString(),
          }),
        );
      });
      if (bodyBytes > 0) outgoing.write(Buffer.alloc(bodyBytes, 'x'));
      outgoing.end();
    });
  }

  return {
    async send(planned, onAgain) {
      const first = await once(planned);
      // The server may close a kept connection in the moment in which a client uses it: a client asks again.
      if (first.exchange.how !== 'cut' || !first.isReused) return first;
      onAgain();
      return await once(planned);
    },
    close: () => kept.destroy(),
  };
}
