import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Dispatcher } from 'undici';
import { hasBody } from '../answers.ts';
import { type RequestOrigin, requestHeaders, responseHeaders } from './proxied-headers.ts';

/**
 * How a proxied request ended. `unreached`: nothing was sent, so it may go to another worker; `unanswered`: it was sent
 * and got no answer, and as a GET or HEAD without a body it may be sent again; `unsendable`: no proxy can send it, such
 * as `OPTIONS *`.
 */
export type ProxyOutcome =
  | 'answered'
  | 'unreached'
  | 'unanswered'
  | 'unsendable'
  | 'failed'
  | 'client-left';

export interface ProxiedRequest extends RequestOrigin {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly dispatcher: Dispatcher;
  /** Whether the client's connection ends with this answer. */
  readonly isLast: boolean;
  /** Called exactly once. */
  readonly ended: (outcome: ProxyOutcome) => void;
}

/** Proxies a request and its answer with back pressure both ways; when either end leaves, the other one is closed. */
export function proxyRequest(proxied: ProxiedRequest): void {
  const { request, dispatcher } = proxied;
  const handler = new AnswerHandler(proxied);
  try {
    dispatcher.dispatch(
      {
        path: request.url as string,
        method: request.method as Dispatcher.HttpMethod,
        headers: requestHeaders(request, proxied),
        body: hasBody(request) ? request : null,
      },
      handler,
    );
  } catch (error) {
    handler.onResponseError(undefined, error as Error);
  }
}

class AnswerHandler implements Dispatcher.DispatchHandler {
  readonly #proxied: ProxiedRequest;
  #controller: Dispatcher.DispatchController | undefined;
  #hasData = false;
  #outcome: ProxyOutcome | undefined;

  constructor(proxied: ProxiedRequest) {
    this.#proxied = proxied;
    proxied.response.once('close', this.#onClose);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#outcome !== undefined) controller.abort(new Error('The client has left'));
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _: unknown,
    text?: string,
  ): void {
    // Interim answers, such as 103, are dropped.
    if (status < 200) return;
    const headers = responseHeaders((controller.rawHeaders ?? []) as (Buffer | string)[]);
    if (this.#proxied.isLast) headers.push('connection', 'close');
    this.#proxied.response.writeHead(status, text ?? '', headers);
    // The head waits one tick for the first bytes of the body. A client of an event stream still gets it at once.
    process.nextTick(() => {
      if (!this.#hasData && this.#outcome === undefined) this.#proxied.response.flushHeaders();
    });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { response } = this.#proxied;
    this.#hasData = true;
    if (response.write(chunk)) return;
    controller.pause();
    response.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    const { response } = this.#proxied;
    this.#end('answered');
    response.end();
  }

  onResponseError(_: unknown, { code }: NodeJS.ErrnoException): void {
    if (code === 'UND_ERR_INVALID_ARG') this.#end('unsendable');
    else if (this.#controller === undefined) this.#end('unreached');
    else if (this.#maySendAgain()) this.#end('unanswered');
    else this.#end('failed');
  }

  #maySendAgain(): boolean {
    const { request, response } = this.#proxied;
    if (response.headersSent || hasBody(request)) return false;
    return request.method === 'GET' || request.method === 'HEAD';
  }

  readonly #onClose = (): void => {
    this.#end('client-left');
    this.#controller?.abort(new Error('The client has left'));
  };

  #end(outcome: ProxyOutcome): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = outcome;
    this.#proxied.response.off('close', this.#onClose);
    this.#proxied.ended(outcome);
  }
}
