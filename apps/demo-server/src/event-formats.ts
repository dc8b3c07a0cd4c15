import { Readable } from 'node:stream';

/** Writes one event. */
export type EventFormat = (event: { readonly type: string }) => string;

/** By media type: one JSON document a line, and server-sent events (HTML standard, 9.2). */
export const eventFormats: Readonly<Record<string, EventFormat>> = {
  'application/x-ndjson': (event) => `${JSON.stringify(event)}\n`,
  'text/event-stream': (event) =>
    `id: ${event.type}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
};

/**
 * Makes a byte stream of events. Destroying it ends the iteration at once; a generator in between
 * would wait for the next event before it passed that on.
 */
export function toStream<Event extends { readonly type: string }>(
  events: AsyncIterableIterator<Event>,
  format: EventFormat,
): Readable {
  const lines: AsyncIterableIterator<string> = {
    async next() {
      const { done, value } = await events.next();
      return done ? { done, value: undefined } : { done: false, value: format(value) };
    },
    async return() {
      await events.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
  return Readable.from(lines);
}
