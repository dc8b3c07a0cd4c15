import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import {
  answerRequest,
  answerSocket,
  isPending,
  problem,
  type RouterAnswer,
} from '../server/answers.ts';

/** State of a client's connection. */
interface Client {
  /** The answer to the last request that came. The earlier ones are sent before it. */
  last: ServerResponse | undefined;
  /** True if an answer closes it: what comes behind that request is not processed, RFC 9112 9.6. */
  isClosing: boolean;
  /** True if the last answer is the router's own, or the last that it sends: bytes that are no request change nothing. */
  isOver: boolean;
}

/** Connections of clients: which requests on them are processed, and in which order they are answered. */
export class ClientConnections {
  readonly #clients = new Map<Socket, Client>();

  get size(): number {
    return this.#clients.size;
  }

  sockets(): IterableIterator<Socket> {
    return this.#clients.keys();
  }

  /** `emptied` is called when the last connection has closed. */
  add(socket: Socket, emptied: () => void): void {
    this.#clients.set(socket, { last: undefined, isClosing: false, isOver: false });
    socket.once('close', () => {
      this.#clients.delete(socket);
      if (this.#clients.size === 0) emptied();
    });
  }

  /** Returns whether a request is to be processed. */
  begins({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const client = this.#clients.get(socket);
    if (client === undefined || client.isClosing) return false;
    client.last = response;
    return true;
  }

  /** Returns whether a request for another protocol may have the connection: all others are answered. */
  mayUpgrade(socket: Socket): boolean {
    const client = this.#clients.get(socket);
    return client !== undefined && !client.isClosing && !isPending(client.last);
  }

  /** Sends an answer of the router itself, which closes the connection. */
  answer(response: ServerResponse, answer: RouterAnswer): void {
    const client = this.#clients.get(response.req.socket);
    if (client?.last === response) client.isOver = true;
    if (client !== undefined) client.isClosing = true;
    answerRequest(response, answer);
  }

  /** Returns whether an answer that closes the connection leaves no other one out; then no further request is processed. */
  ends(response: ServerResponse): boolean {
    const client = this.#clients.get(response.req.socket);
    if (client?.last !== response) return false;
    client.isClosing = true;
    return true;
  }

  /**
   * Ends a connection whose bytes are no request, after the answers to the requests before them. Returns the status that
   * the client gets, 0 if it gets none, or `undefined` for a connection that ends anyway.
   */
  refuse(socket: Socket, status: number, isBehindLast: boolean): number | undefined {
    const client = this.#clients.get(socket);
    // It goes on sending, or closes, while it gets its last answer.
    if (client?.isOver) return undefined;
    // A client that has reset the connection, or has sent nothing, gets no answer.
    if (client === undefined || !socket.writable || socket.bytesRead === 0) {
      socket.destroy();
      return undefined;
    }
    client.isOver = true;
    client.isClosing = true;
    const { last } = client;
    if (!isPending(last)) {
      answerSocket(socket, problem(status));
      return status;
    }
    if (last.req.complete) {
      if (isBehindLast) return undefined;
      last.once('finish', () => {
        if (socket.writable) answerSocket(socket, problem(status));
      });
      return status;
    }
    // The body of this request is broken: an answer that has begun will not be whole, and the client has to notice.
    if (last.headersSent) {
      socket.destroy();
      return 0;
    }
    answerRequest(last, problem(status));
    return status;
  }
}
