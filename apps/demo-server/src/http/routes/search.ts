import { Readable } from 'node:stream';
import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { CarrierStatus, SearchEvent } from '@ticketing/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Parts } from '../../compose.ts';
import { CARRIER_NAMES, carrierCalls, carrierTitles } from '../../search/carriers.ts';
import { documentQuestion, type SearchDocument } from '../../search/documents.ts';
import { readSearchQuestion, SearchParameters } from '../../search/search-query.ts';
import { streamKey } from '../../search/shared-streams.ts';
import { sendDocument } from '../encoded-body.ts';
import { preferredType, prefersPage } from '../preferred-type.ts';
import { clientSignal, Problem, ProblemError } from '../problem.ts';

// The answers of GET /search, as OpenAPI shows them. A test holds real answers against these schemas.

const TimeAt = Type.Object({
  ms: Type.Integer({ description: 'Epoch milliseconds' }),
  iso: Type.String({ description: 'RFC 9557, with the zone of the station' }),
});
const Money = Type.Object({
  amount: Type.Integer({ description: 'Minor units' }),
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
});
const Station = Type.Object({
  id: Type.String(),
  name: Type.String(),
  zone: Type.String(),
  country: Type.String(),
  latitude: Type.Number(),
  longitude: Type.Number(),
  codes: Type.Record(Type.String(), Type.String()),
  aliases: Type.Optional(Type.Array(Type.String())),
});
const Leg = Type.Union([
  Type.Object({
    kind: Type.Literal('ride'),
    origin: Type.String(),
    destination: Type.String(),
    departure: TimeAt,
    arrival: TimeAt,
    brand: Type.Optional(Type.String()),
    number: Type.Optional(Type.String()),
    operator: Type.Optional(Type.String()),
    operatingDay: Type.Optional(Type.String()),
  }),
  Type.Object({
    kind: Type.Literal('transfer'),
    origin: Type.String(),
    destination: Type.String(),
    minutes: Type.Integer(),
  }),
]);
const Offer = Type.Object({
  id: Type.String(),
  seller: Type.String(),
  total: Money,
  travelClass: Type.Enum(['first', 'second', 'any']),
  fareName: Type.Optional(Type.String()),
  flexibility: Type.Enum(['full', 'semi', 'none', 'unknown']),
  seatsLeft: Type.Optional(Type.Integer()),
  validUntil: Type.Optional(Type.Integer()),
  fetchedAt: Type.Integer(),
});
const Journey = Type.Object({
  id: Type.String(),
  legs: Type.Array(Leg),
  departure: TimeAt,
  arrival: TimeAt,
  durationMinutes: Type.Integer(),
  transfers: Type.Integer(),
  offers: Type.Array(Offer),
  sources: Type.Array(Type.String()),
  conflicts: Type.Optional(
    Type.Array(
      Type.Object({
        field: Type.Enum(['departure', 'arrival']),
        source: Type.String(),
        value: TimeAt,
      }),
    ),
  ),
});
const Status = Type.Object({
  carrier: Type.String(),
  state: Type.Enum(['running', 'ok', 'empty', 'timeout', 'error', 'cancelled', 'rejected-busy']),
  ms: Type.Number({ description: 'Milliseconds from the start of the search' }),
  found: Type.Integer(),
  error: Type.Optional(
    Type.Object({ code: Type.String(), retryable: Type.Boolean(), message: Type.String() }),
  ),
});
const Query = Type.Object({
  origin: Station,
  destination: Station,
  date: Type.String(),
  passengers: Type.Integer(),
});

/** The answer as one document. */
export const SearchAnswer = Type.Object({
  query: Query,
  journeys: Type.Array(Journey),
  carriers: Type.Array(Status),
  complete: Type.Boolean({ description: 'Whether every carrier answered' }),
  ms: Type.Number(),
});

/** One event of a streamed answer. */
export const SearchStreamEvent = Type.Union([
  Type.Object({
    type: Type.Literal('search-started'),
    query: Query,
    carriers: Type.Array(Status),
    deadline: Type.Number(),
  }),
  Type.Object({ type: Type.Literal('carrier-status'), status: Status }),
  Type.Object({
    type: Type.Literal('journeys-upsert'),
    seq: Type.Integer(),
    journeys: Type.Array(Journey),
    removed: Type.Array(Type.String()),
  }),
  Type.Object({
    type: Type.Literal('search-done'),
    carriers: Type.Array(Status),
    complete: Type.Boolean(),
    found: Type.Integer(),
    ms: Type.Number(),
  }),
]);

const problem = { content: { 'application/problem+json': { schema: Problem } } };
// Typed `unknown`: the schemas document what is sent.
const response: unknown = {
  200: {
    description:
      'All answers, or those in time. As a stream: one event per line, or server-sent events',
    content: {
      'application/json': { schema: SearchAnswer },
      'application/x-ndjson': { schema: SearchStreamEvent },
      'text/event-stream': { schema: SearchStreamEvent },
    },
  },
  303: { description: 'To a browser, whose page is `/`', type: 'null' },
  204: { description: 'To an event source that has received its last event', type: 'null' },
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
  { finders, streams, encoder, stations, carriers, now, leftMs },
  done,
) => {
  const isShared = finders.document.stats() !== undefined;
  const keyOf = ({ url, headers }: FastifyRequest): string | undefined => {
    const key = isShared ? documentQuestion.keyOfTarget(url, now()) : undefined;
    const isStream = /event-stream|ndjson/.test(headers.accept ?? '');
    return key !== undefined && isStream ? streamKey(key) : key;
  };
  app.get('/search', { schema, config: { keyOf }, onRequest }, async (request, reply) => {
    const question = readSearchQuestion(request.query, { stations, carriers, nowMs: now() });
    const accepted = preferredType(request, ['application/json', ...Object.keys(eventFormats)]);
    if (accepted === 'application/json') {
      const document = await finders.document.find(question, {
        signal: clientSignal(reply),
        deadlineMs: leftMs(request),
      });
      refuseWithoutAnswer(document);
      reply.header('server-timing', serverTiming(document)).type('application/json; charset=utf-8');
      return sendDocument({ request, reply, encoder }, document);
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
      .send(
        toStream<SearchEvent>(streams.follow(question, { deadlineMs: leftMs(request) }), format),
      );
  });
  done();
};

/** A browser gets the page, also for parameters that are wrong: it says so beside their fields. */
async function onRequest(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  reply.header('vary', 'accept, accept-encoding');
  if (!prefersPage(request)) return undefined;
  const [, search = ''] = request.url.split(/\?(.*)/s);
  return reply.redirect(search === '' ? '/' : `/?${search}`, 303);
}

/** @throws ProblemError if no carrier answered */
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
    ...carriers.map(({ carrier, ms: own }) => `${carrier};dur=${own}${describedCalls(carrier)}`),
    `search;dur=${ms}`,
  ].join(', ');
}

function describedCalls(carrier: string): string {
  const name = CARRIER_NAMES.find((one) => one === carrier);
  return name === undefined ? '' : `;desc="${carrierTitles[name]} ${carrierCalls[name]}"`;
}

/** Writes one event. */
type EventFormat = (event: { readonly type: string }) => string;

/** By media type: one JSON document per line, and server-sent events (HTML standard, 9.2). */
const eventFormats: Readonly<Record<string, EventFormat>> = {
  'application/x-ndjson': (event) => `${JSON.stringify(event)}\n`,
  'text/event-stream': (event) =>
    `id: ${event.type}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
};

/**
 * Makes a byte stream of events. Destroying it ends the iteration at once; with a generator in between it would end
 * after the next event.
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
