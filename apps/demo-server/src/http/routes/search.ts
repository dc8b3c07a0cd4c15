import { Readable } from 'node:stream';
import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { CarrierStatus, SearchEvent } from '@ticketing/core';
import type { FastifyRequest } from 'fastify';
import type { Parts } from '../../compose.ts';
import { type SearchDocument, searchKey } from '../../search/documents.ts';
import { readSearchQuery } from '../../search/search-query.ts';
import { SearchAnswer, SearchParameters, SearchStreamEvent } from '../../search/search-schema.ts';
import { clientSignal, Problem, ProblemError } from '../problem.ts';

/** Of a media range; a text in quotes may have any character. */
const PARAMETER = /;[^;,"]*(?:"(?:[^"\\]|\\.)*"[^;,"]*)*/g;
const problem = { content: { 'application/problem+json': { schema: Problem } } };
// Typed `unknown`: the schemas document what is sent, a test holds real answers against them.
const response: unknown = {
  200: {
    description:
      'All answers, or those in time. As a stream: one event a line, or server-sent events',
    content: {
      'application/json': { schema: SearchAnswer },
      'application/x-ndjson': { schema: SearchStreamEvent },
      'text/event-stream': { schema: SearchStreamEvent },
    },
  },
  204: { description: 'To an event source that has had its last event', type: 'null' },
  400: { description: 'A parameter is wrong', ...problem },
  406: { description: 'No media type that the server has', ...problem },
  502: { description: 'Every carrier failed', ...problem },
  503: { description: 'Every carrier is busy', ...problem },
  504: { description: 'No carrier answered in time', ...problem },
};
const schema = {
  summary: 'Ask every carrier for the trains of one day',
  querystring: SearchParameters,
  response,
};

/** `GET /search`: one document, or a stream of events, as `Accept` says. */
export const searchRoute: FastifyPluginCallbackTypebox<Parts> = (
  app,
  { finders, search, stations, now, leftMs },
  done,
) => {
  const isShared = finders.document.stats() !== undefined;
  // Streams are each client's own.
  const keyOf = ({ url, headers }: FastifyRequest): string | undefined =>
    isShared && !/event-stream|ndjson/.test(headers.accept ?? '')
      ? searchKey(url, now())
      : undefined;
  app.get('/search', { schema, config: { keyOf } }, async (request, reply) => {
    const query = readSearchQuery(request.query, stations, now());
    const { order = 'departure' } = request.query;
    const accepted = acceptedType(request);
    reply.header('vary', 'accept');
    if (accepted === 'application/json') {
      const document = await finders.document.find(
        { query, order },
        { signal: clientSignal(reply), deadlineMs: leftMs(request) },
      );
      refuseWithoutAnswer(document);
      return reply
        .header('server-timing', serverTiming(document))
        .type('application/json; charset=utf-8')
        .send(document.body);
    }
    const format = accepted && eventFormats[accepted];
    if (!format) {
      const expected = ['application/json', ...Object.keys(eventFormats)].join(', ');
      throw new ProblemError(406, {
        detail: `Accept must allow one of ${expected}`,
        expected,
        got: request.headers.accept,
      });
    }
    // An EventSource connects again when a stream has ended: 204 tells it to stop.
    if (request.headers['last-event-id'] === 'search-done') return reply.code(204).send(null);
    return reply
      .type(accepted)
      .header('cache-control', 'no-store')
      .send(
        toStream<SearchEvent>(search.stream(query, { order, deadlineMs: leftMs(request) }), format),
      );
  });
  done();
};

/** Of the types that the server has, the one that the client likes best; its parameters, such as `charset`, do not matter. */
function acceptedType(request: FastifyRequest): string | false {
  const { headers } = request.raw;
  headers.accept &&= headers.accept.replace(PARAMETER, (text) =>
    /^;\s*q\s*=/i.test(text) ? text : '',
  );
  const types = request.accepts().type(['application/json', ...Object.keys(eventFormats)]);
  return typeof types === 'string' && types;
}

/** No carrier answered: that is no list of trains. */
function refuseWithoutAnswer({ carriers }: SearchDocument): void {
  if (carriers.some(({ state }) => state === 'ok' || state === 'empty')) return;
  const all = (state: CarrierStatus['state']) =>
    carriers.every((carrier) => carrier.state === state);
  const some = (state: CarrierStatus['state']) =>
    carriers.some((carrier) => carrier.state === state);
  const status = all('rejected-busy') ? 503 : some('timeout') ? 504 : 502;
  const detail = carriers.map(({ carrier, error }) => `${carrier}: ${error?.message}`).join('; ');
  throw new ProblemError(status, { detail, carriers: [...carriers] });
}

function serverTiming({ carriers, ms }: SearchDocument): string {
  return [
    ...carriers.map((status) => `${status.carrier};dur=${status.ms}`),
    `search;dur=${ms}`,
  ].join(', ');
}

/** Writes one event. */
type EventFormat = (event: { readonly type: string }) => string;

/** By media type: one JSON document a line, and server-sent events (HTML standard, 9.2). */
const eventFormats: Readonly<Record<string, EventFormat>> = {
  'application/x-ndjson': (event) => `${JSON.stringify(event)}\n`,
  'text/event-stream': (event) =>
    `id: ${event.type}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
};

/**
 * Makes a byte stream of events. Destroying it ends the iteration at once; a generator in between
 * would wait for the next event before it passed that on.
 */
function toStream<Event extends { readonly type: string }>(
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
