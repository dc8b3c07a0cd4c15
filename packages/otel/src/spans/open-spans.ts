import {
  type Attributes,
  type Context,
  type Span,
  type SpanKind,
  SpanStatusCode,
  type Tracer,
} from '@opentelemetry/api';
import type { ActiveContext } from '../active-context.ts';
import type { Subscriptions } from '../channels.ts';
import { errorType } from '../error-type.ts';

export interface SpanOptions {
  readonly tracer: Tracer;
  readonly active: ActiveContext;
  readonly subscriptions: Subscriptions;
  readonly traceJoins: boolean;
  /** True if spans have stations, dates, keys and messages of errors. */
  readonly capturesQuery: boolean;
}

/** Longest text of an attribute that the caller's data decides. */
const MAX_TEXT = 256;

export interface Failure {
  readonly type: string;
  readonly text: string | undefined;
}

/** Returns how a traced operation failed; undefined if it did not. */
export function failureOf(
  message: { readonly error?: unknown },
  capturesQuery: boolean,
): Failure | undefined {
  if (!('error' in message)) return undefined;
  const { error } = message;
  const text = capturesQuery && error instanceof Error ? shortText(error.message) : undefined;
  return { type: errorType(error), text };
}

/** Returns a value as a short text; the type of one that is no text. */
export function shortText(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, MAX_TEXT) : typeof value;
}

/** Spans under way by the message that all events of one operation share. */
export class OpenSpans {
  readonly #tracer: Tracer;
  readonly #spans = new WeakMap<object, Span>();

  constructor({ tracer }: SpanOptions) {
    this.#tracer = tracer;
  }

  start(
    message: object,
    parent: Context,
    name: string,
    settings: { readonly attributes: Attributes; readonly kind?: SpanKind },
  ): Span {
    const span = this.#tracer.startSpan(name, settings, parent);
    this.#spans.set(message, span);
    return span;
  }

  of(message: object): Span | undefined {
    return this.#spans.get(message);
  }

  /** Does nothing for an operation that began before the subscription. */
  end(message: object, attributes: Attributes, failure?: Failure): void {
    const span = this.#spans.get(message);
    if (span === undefined) return;
    this.#spans.delete(message);
    finish(span, attributes, failure);
  }
}

/** Ends a span with its last attributes. */
export function finish(
  span: Span,
  attributes: Attributes,
  failure?: Failure,
  endTime?: number,
): void {
  if (span.isRecording()) {
    span.setAttributes(attributes);
    if (failure !== undefined) {
      const { type, text } = failure;
      span.setAttribute('error.type', type);
      span.setStatus({ code: SpanStatusCode.ERROR, ...(text !== undefined && { message: text }) });
    }
  }
  span.end(endTime);
}
