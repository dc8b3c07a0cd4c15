import { CarrierError, type CarrierHttpRequest, type CarrierHttpResponse } from '@ticketing/core';
import type { AbortWaiter, SignalListeners } from '@ticketing/kit';
import type { Dispatcher } from 'undici';
import { ACCEPTED_CODINGS, type AnswerBody, createAnswerBody, readCodings } from './answer-body.ts';

/** Bounds of the requests to one carrier, and of their answers. */
export interface ExchangeLimits {
  readonly carrier: string;
  /** One listener per signal, however many requests have it. */
  readonly listeners: SignalListeners;
  /** Returns epoch ms. */
  now(): number;
  /** Longest body of an answer that resolves, as it is sent and when it is decoded. */
  readonly maxBodyBytes: number;
  /** Largest body of an answer whose status is in `alsoResolve`, in bytes. */
  readonly maxErrorBytes: number;
  /** Returns the error of an answer that is refused by its status and headers, before its body is read; else `undefined`. */
  refusal(status: number, headers: CarrierHttpResponse['headers']): Error | undefined;
}

/** One request to send. */
interface Sending {
  readonly path: string;
  readonly request: CarrierHttpRequest;
  /** Milliseconds from now to its deadline. */
  readonly timeoutMs: number;
}

const UNREAD_BODY = { bytes: 16 * 1024, ms: 100 };

/**
 * Sends a request, and resolves with its answer. The parser's own calls give the body: a stream in between costs a tenth of the
 * call. An abort of its signal, or its deadline, rejects at once and closes the connection. A body from status 300 on is not
 * waited for.
 */
export function exchange(
  dispatcher: Dispatcher,
  { path, request, timeoutMs }: Sending,
  limits: ExchangeLimits,
): Promise<CarrierHttpResponse> {
  return new Promise((resolve, reject) => {
    const { method, signal, headers = {}, body } = request;
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const handler = new Exchange({ request, timeoutMs }, limits, { resolve, reject });
    dispatcher.dispatch(
      {
        method,
        path,
        headers: withCodings(headers),
        body: body ?? null,
      },
      handler,
    );
  });
}

/** Asks for compressed answers, unless the request has an `accept-encoding` of its own. */
function withCodings(headers: Readonly<Record<string, string>>): Record<string, string> {
  const asks = Object.keys(headers).some((name) => name.toLowerCase() === 'accept-encoding');
  return asks ? headers : { ...headers, 'accept-encoding': ACCEPTED_CODINGS };
}

interface Settle {
  resolve(answer: CarrierHttpResponse): void;
  reject(error: unknown): void;
}

class Exchange implements Dispatcher.DispatchHandler, AbortWaiter {
  readonly #request: CarrierHttpRequest;
  readonly #limits: ExchangeLimits;
  readonly #settle: Settle;
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #isSettled = false;
  /** Ends a body that is not read. */
  #dropTimer: NodeJS.Timeout | undefined;
  #status = 0;
  #headers: CarrierHttpResponse['headers'] = {};
  #body: AnswerBody | undefined;
  #unreadBytes = 0;

  constructor(
    { request, timeoutMs }: Omit<Sending, 'path'>,
    limits: ExchangeLimits,
    settle: Settle,
  ) {
    this.#request = request;
    this.#limits = limits;
    this.#settle = settle;
    this.#timer = setTimeout(() => {
      const { carrier } = this.#limits;
      this.aborted(
        new CarrierError('TIMEOUT', `Cannot ask \`${carrier}\`: its deadline has passed`),
      );
    }, timeoutMs);
    limits.listeners.add(request.signal, this);
  }

  /** Gives up: closes the connection, or takes the request out of the queue for a connection. */
  aborted(reason: unknown): void {
    this.#fail(reason);
    this.#controller?.abort(reason as Error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isSettled) controller.abort(new CarrierError('ABORTED', 'No caller is waiting'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: CarrierHttpResponse['headers'],
  ): void {
    // Of an answer that is still to come.
    if (status < 200) return;
    const { alsoResolve } = this.#request;
    const { maxBodyBytes, maxErrorBytes, refusal } = this.#limits;
    this.#status = status;
    this.#headers = headers;
    if (status < 300 || alsoResolve?.includes(status)) {
      this.#open(status < 400 ? maxBodyBytes : Math.min(maxBodyBytes, maxErrorBytes));
      return;
    }
    const error = refusal(status, headers);
    if (error !== undefined) this.#fail(error);
    else this.#succeed(new Uint8Array());
    this.#drop();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#dropTimer === undefined) {
      this.#body?.take(chunk);
      return;
    }
    this.#unreadBytes += chunk.byteLength;
    if (this.#unreadBytes > UNREAD_BODY.bytes) this.#leave();
  }

  onResponseEnd(): void {
    clearTimeout(this.#dropTimer);
    this.#body?.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#dropTimer);
    this.#fail(error);
  }

  /**
   * Leaves the body unread, so that one that drips delays nothing. A short body gets a moment to end, which keeps its connection;
   * the connection of any other is closed.
   */
  #drop(): void {
    this.#dropTimer = setTimeout(() => this.#leave(), UNREAD_BODY.ms);
  }

  #leave(): void {
    clearTimeout(this.#dropTimer);
    this.#controller?.abort(new CarrierError('ABORTED', 'The body is not read'));
  }

  /** Opens the body, or refuses the answer for its codings. */
  #open(maxBytes: number): void {
    const { carrier } = this.#limits;
    try {
      this.#body = createAnswerBody({
        codings: readCodings(carrier, this.#headers),
        ...{ carrier, maxBytes },
        done: (body) => this.#succeed(body),
        fail: (error) => this.aborted(error),
      });
    } catch (error) {
      this.aborted(error);
    }
  }

  #succeed(body: Uint8Array<ArrayBuffer>): void {
    this.#end();
    const receivedAt = this.#limits.now();
    this.#settle.resolve({ status: this.#status, headers: this.#headers, body, receivedAt });
  }

  #fail(error: unknown): void {
    if (this.#isSettled) return;
    this.#end();
    this.#settle.reject(error);
  }

  #end(): void {
    this.#isSettled = true;
    this.#body?.close();
    clearTimeout(this.#timer);
    this.#limits.listeners.remove(this.#request.signal, this);
  }
}
