import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { type Emit, interceptRequests } from './intercept-requests.ts';

/** Requests of one connection that are under way at a time: no client takes more of a server by asking ahead. */
const MAX_UNDER_WAY = 4;
/** The parser gets no more bytes at once than these and the rest of a head: so few heads fit into them. */
const PIECE_BYTES = 512;
/** Ends each head. Parsers of Node accept no other line ends. */
const BLANK_LINE = '\r\n\r\n';

const LIMITED: unique symbol = Symbol('ticketing.socket-router.limited');
const CONNECTION: unique symbol = Symbol('ticketing.socket-router.pipelined');
type Limited<T> = T & { [LIMITED]?: boolean };
type Tracked = Socket & { [CONNECTION]?: PipelinedConnection };

interface WaitingRequest {
  readonly event: string | symbol;
  readonly values: readonly unknown[];
}

/**
 * Has a server answer at most 4 requests of one connection at a time. What a client sends ahead beyond those stays unread: its
 * socket is paused until answers have gone out, as Node alone does only when many bytes of answers wait. So a client that
 * sends a thousand requests, or reads no answer, costs as much as one that sends four. Once per server; further calls do nothing.
 *
 * For HTTP/1: connections of HTTP/2 and of other protocols are left alone.
 *
 * @example
 * const server = createServer(listener);
 * limitPipelined(server);
 */
export function limitPipelined(server: Server | SecureServer): void {
  const limited = server as Limited<Server>;
  if (limited[LIMITED]) return;
  limited[LIMITED] = true;
  const emit = interceptRequests(server, (event, values) => {
    const connection = ((values[0] as IncomingMessage).socket as Tracked)[CONNECTION];
    if (connection === undefined) return false;
    if (event !== 'upgrade' && event !== 'connect') return connection.delays(event, values);
    connection.release();
    return false;
  });
  // The first sockets of a TLS server carry bytes that are no requests yet.
  const event = 'setSecureContext' in server ? 'secureConnection' : 'connection';
  server.on(event, (socket: Tracked & { readonly alpnProtocol?: string | false | null }) => {
    if (socket.alpnProtocol !== 'h2') socket[CONNECTION] = new PipelinedConnection(socket, emit);
  });
}

/** The requests of one connection, and what of its bytes the parser gets. */
class PipelinedConnection {
  readonly #socket: Socket;
  readonly #emitRequest: Emit;
  readonly #emit: Emit;
  /** Requests that were parsed beyond those under way. */
  readonly #waiting: WaitingRequest[] = [];
  #underWay = 0;
  #latest: IncomingMessage | undefined;
  /** Bytes that the parser got last. */
  #pieceBytes = 0;
  /** Bytes of the latest request's body that have not arrived, at least. */
  #bodyLeft = 0;
  #isPaused = false;

  constructor(socket: Socket, emitRequest: Emit) {
    this.#socket = socket;
    this.#emitRequest = emitRequest;
    this.#emit = socket.emit as Emit;
    socket.emit = (event: string | symbol, ...values: unknown[]) => {
      if (event !== 'data') return this.#emit.call(socket, event, ...values);
      const piece = this.#admit(values[0] as Buffer);
      return piece !== undefined && this.#emit.call(socket, 'data', piece);
    };
    // Node's server reads a socket below JavaScript, up to 64 KiB of requests at once, unless the socket has a listener.
    const listener = (): void => {};
    socket.on('data', listener);
    socket.off('data', listener);
  }

  /** Notes a request; returns whether it has to wait for its turn. */
  delays(event: string | symbol, values: readonly unknown[]): boolean {
    const request = values[0] as IncomingMessage;
    this.#latest = request;
    const length = Number(request.headers['content-length']) || 0;
    this.#bodyLeft = Math.max(0, length - this.#pieceBytes);
    if (this.#underWay >= MAX_UNDER_WAY) {
      this.#waiting.push({ event, values });
      return true;
    }
    this.#begin(values[1] as ServerResponse);
    return false;
  }

  /** Lets go of the connection, which has another protocol from now on. */
  release(): void {
    this.#socket.emit = this.#emit;
  }

  #begin(response: ServerResponse): void {
    this.#underWay += 1;
    response.once('close', this.#ended);
  }

  readonly #ended = (): void => {
    this.#underWay -= 1;
    const socket = this.#socket;
    // After an answer that closes the connection no request of it may be run: RFC 9112 9.6.
    if (socket.destroyed || socket.writableEnded) return;
    const next = this.#waiting.shift();
    if (next !== undefined) {
      this.#begin(next.values[1] as ServerResponse);
      this.#emitRequest(next.event, ...next.values);
    } else if (this.#isPaused) {
      this.#isPaused = false;
      socket.resume();
    }
  };

  /** True if the parser gets nothing. The body of the latest request is let through if the request is under way: its answer may need it. */
  get #isFull(): boolean {
    if (this.#waiting.length > 0) return true;
    return this.#underWay >= MAX_UNDER_WAY && this.#latest?.complete === true;
  }

  /** Returns the bytes that the parser gets now, if any. The others are in the socket again, before later bytes. */
  #admit(chunk: Buffer): Buffer | undefined {
    const socket = this.#socket;
    if (this.#isFull) {
      this.#isPaused = true;
      socket.pause();
      socket.unshift(chunk);
      return undefined;
    }
    const length = this.#pieceOf(chunk);
    this.#pieceBytes = length;
    this.#bodyLeft = Math.max(0, this.#bodyLeft - length);
    if (length === chunk.length) return chunk;
    // In a socket that flows they would be read at once, before the others.
    socket.pause();
    socket.unshift(chunk.subarray(length));
    socket.resume();
    return chunk.subarray(0, length);
  }

  #pieceOf(chunk: Buffer): number {
    if (chunk.length <= PIECE_BYTES) return chunk.length;
    if (this.#bodyLeft > PIECE_BYTES) return Math.min(this.#bodyLeft, chunk.length);
    const end = chunk.indexOf(BLANK_LINE, PIECE_BYTES - BLANK_LINE.length);
    return end === -1 ? chunk.length : end + BLANK_LINE.length;
  }
}
