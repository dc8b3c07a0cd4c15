import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { ProblemError } from '../problem/problem.ts';
import { iteratorOf } from '../search/map-items.ts';

/** Writes one event of a type, as JSON. */
type EventFormat = (type: string, json: string) => string;

/** Formats of events by media type: one JSON document per line, and server-sent events (HTML standard, 9.2). */
const formats = {
  'application/x-ndjson': (_type, json) => `${json}\n`,
  'text/event-stream': (type, json) => `id: ${type}\nevent: ${type}\ndata: ${json}\n\n`,
} satisfies Record<string, EventFormat>;

type EventType = keyof typeof formats;

/** Media types of an answer that is a document or a stream. */
export const ANSWER_TYPES: readonly string[] = ['application/json', ...Object.keys(formats)];

/** Returns whether a media type is one of streams. */
export function isEventType(type: string | undefined): type is EventType {
  return type !== undefined && Object.hasOwn(formats, type);
}

/** Returns the error for a request that takes none of the types. */
export function notAcceptable({ headers }: FastifyRequest): ProblemError {
  const expected = ANSWER_TYPES.join(', ');
  const detail = `Accept must allow one of ${expected}`;
  return new ProblemError(406, { detail, expected, got: headers.accept });
}

/** Makes a byte stream of events; an error becomes the last. Destroying it ends the iteration at once. */
export function eventStream<Event extends { readonly type: string }>(
  events: AsyncIterableIterator<Event, undefined>,
  {
    type,
    textOf,
    failed,
  }: {
    readonly type: EventType;
    /** Returns an event as JSON. */
    readonly textOf: (event: Event) => string;
    readonly failed: (error: unknown) => Event;
  },
): Readable {
  const format: EventFormat = formats[type];
  const written = (event: Event): string => format(event.type, textOf(event));
  const lines = iteratorOf<string>(
    async () => {
      try {
        const { done, value } = await events.next();
        return done ? { done, value: undefined } : { done: false, value: written(value) };
      } catch (error) {
        return { done: false, value: written(failed(error)) };
      }
    },
    () => events.return?.(),
  );
  return Readable.from(lines);
}
