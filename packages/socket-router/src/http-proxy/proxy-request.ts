import type { Agent, ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { hasBody, LINGER_MS } from '../server/answers.ts';
import {
  hasBadAnswer,
  isPassable,
  type RequestOrigin,
  requestHeaders,
  responseHeaders,
} from './proxied-headers.ts';
import { createWorkerRequest } from './worker-request.ts';

/**
 * Outcome of a proxied request. `unreached`: nothing was sent, so it may go to another worker; `unanswered`: it was sent
 * and got no answer, and as a GET or HEAD without a body it may be sent again; `unsendable`: no proxy can send it, such
 * as `OPTIONS *`; `abandoned`: by the caller.
 */
export type ProxyOutcome =
  | 'answered'
  | 'unreached'
  | 'unanswered'
  | 'unsendable'
  | 'failed'
  | 'abandoned'
  | 'client-left';

export interface ProxiedRequest extends RequestOrigin {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Connections to the worker. */
  readonly agent: Agent;
  /** The worker's unix socket. */
  readonly socketPath: string;
  /** Longest head of an answer; Node's own limit if `undefined`. */
  readonly answerHeadBytes?: number | undefined;
  /** Returns whether the client's connection ends with this answer; called when the answer begins. */
  readonly isLast: () => boolean;
  /** Called exactly once. */
  readonly ended: (outcome: ProxyOutcome) => void;
}

/**
 * Proxies a request and its answer with back pressure both ways; when either end leaves, the other one is closed. Returns a
 * function that abandons the request, which is then the caller's to answer, if it has no answer yet.
 */
export function proxyRequest(proxied: ProxiedRequest): () => void {
  const exchange = new Exchange(proxied);
  exchange.begin();
  return () => exchange.abandon();
}

/** Targets that a server behind a proxy can be sent: a path, or a whole URL. */
const SENDABLE = /^(?:\/|https?:\/\/)/i;

class Exchange {
  readonly #proxied: ProxiedRequest;
  readonly #hasBody: boolean;
  #outgoing: ClientRequest | undefined;
  /** True once the request's connection is open, so that the worker may have got some of it. */
  #isSent = false;
  #hasAnswer = false;
  #hasData = false;
  #outcome: ProxyOutcome | undefined;

  constructor(proxied: ProxiedRequest) {
    this.#proxied = proxied;
    this.#hasBody = hasBody(proxied.request);
    proxied.response.once('close', this.#onClose);
  }

  begin(): void {
    const { request, agent, socketPath, answerHeadBytes } = this.#proxied;
    if (!SENDABLE.test(request.url ?? '')) {
      this.#end('unsendable');
      return;
    }
    try {
      const headers = this.#headers();
      this.#outgoing = createWorkerRequest({
        request,
        headers,
        agent,
        socketPath,
        answerHeadBytes,
      });
    } catch {
      this.#end('unsendable');
      return;
    }
    const outgoing = this.#outgoing;
    outgoing.once('socket', (socket: Socket) => {
      if (socket.connecting) socket.once('connect', this.#send);
      else this.#send();
    });
    outgoing.once('response', this.#onResponse);
    outgoing.on('error', this.#onError);
    // The worker switches protocols, which it was not asked to.
    outgoing.once('upgrade', (_, socket: Socket) => {
      socket.destroy();
      this.#end('failed');
    });
    outgoing.once('close', () => {
      if (!this.#hasAnswer) this.#onError();
    });
    if (!this.#hasBody) outgoing.end();
  }

  abandon(): void {
    if (this.#outcome !== undefined || this.#hasAnswer) return;
    this.#end('abandoned');
    this.#outgoing?.destroy();
  }

  #headers(): string[] {
    const { request } = this.#proxied;
    const headers = requestHeaders(request, this.#proxied);
    if (request.headers.host === undefined) headers.push('host', 'worker');
    return headers;
  }

  /** Sends the body, of which nothing is read before: when the connection cannot be opened, another worker gets all of it. */
  readonly #send = (): void => {
    this.#isSent = true;
    if (this.#hasBody && this.#outgoing !== undefined) this.#sendBody(this.#outgoing);
  };

  #sendBody(outgoing: ClientRequest): void {
    const { request } = this.#proxied;
    const onDrain = (): void => {
      request.resume();
    };
    request.on('data', (chunk: Buffer) => {
      // What an answer came too early for is discarded, so that the client can read the answer.
      if (outgoing.destroyed || outgoing.write(chunk)) return;
      request.pause();
      outgoing.once('drain', onDrain);
    });
    request.once('end', () => outgoing.end());
    outgoing.once('close', onDrain);
  }

  readonly #onResponse = (answer: IncomingMessage): void => {
    this.#hasAnswer = true;
    const { request, response } = this.#proxied;
    answer.on('error', this.#onError);
    if (!this.#beginsAnswer(answer)) {
      // Without an answer of the worker the client may have got the router's own before.
      this.#end(response.headersSent ? 'client-left' : 'failed');
      this.#outgoing?.destroy();
      return;
    }
    answer.on('data', (chunk: Buffer) => {
      this.#hasData = true;
      if (response.write(chunk)) return;
      answer.pause();
      response.once('drain', () => answer.resume());
    });
    answer.once('end', () => {
      this.#end('answered');
      response.end();
      if (this.#hasBody && !request.complete) this.#awaitRest();
    });
    // The head waits one tick for the first bytes of the body. A client of an event stream still gets it at once.
    process.nextTick(() => {
      if (!this.#hasData && this.#outcome === undefined) response.flushHeaders();
    });
  };

  /** Returns whether the answer could be begun: its bytes are the worker's, and Node refuses some of them. */
  #beginsAnswer(answer: IncomingMessage): boolean {
    const { response, isLast } = this.#proxied;
    if (response.headersSent || !isPassable(answer)) return false;
    const headers = responseHeaders(answer.rawHeaders);
    if (isLast()) headers.push('connection', 'close');
    try {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? '', headers);
      return true;
    } catch {
      return false;
    }
  }

  /** Waits for the rest of a body whose answer came early: without its end neither connection can be used again. */
  #awaitRest(): void {
    const { request, response } = this.#proxied;
    const timer = setTimeout(() => {
      this.#outgoing?.destroy();
      const leave = (): void => {
        request.socket.destroy();
      };
      if (response.writableFinished) leave();
      else response.once('finish', leave);
    }, LINGER_MS);
    request.once('end', () => clearTimeout(timer));
  }

  readonly #onError = (error?: NodeJS.ErrnoException): void => {
    // The client has got the router's own answer before.
    if (this.#proxied.response.headersSent && !this.#hasAnswer) this.#end('client-left');
    else if (!this.#isSent) this.#end('unreached');
    else if (!hasBadAnswer(error) && this.#maySendAgain()) this.#end('unanswered');
    else this.#end('failed');
  };

  #maySendAgain(): boolean {
    const { request, response } = this.#proxied;
    if (response.headersSent || this.#hasBody) return false;
    return request.method === 'GET' || request.method === 'HEAD';
  }

  readonly #onClose = (): void => {
    this.#end('client-left');
    this.#outgoing?.destroy();
  };

  #end(outcome: ProxyOutcome): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = outcome;
    this.#proxied.response.off('close', this.#onClose);
    this.#proxied.ended(outcome);
  }
}
