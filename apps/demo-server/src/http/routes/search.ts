import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { CarrierStatus, RateSource } from '@ticketing/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Answers } from '../../answers/answers.ts';
import { eventsKey } from '../../answers/kinds.ts';
import { CARRIER_NAMES, carrierKinds } from '../../carriers/carriers.ts';
import {
  badParameter,
  clientSignal,
  lateProblem,
  Problem,
  ProblemError,
} from '../../problem/problem.ts';
import { hasAnswered, isBusy } from '../../search/carrier-states.ts';
import { documentKey } from '../../search/document-key.ts';
import { withFirst } from '../../search/map-items.ts';
import { viewRoundTrip } from '../../search/more-days/round-trip-answer.ts';
import { readRoundTrip } from '../../search/more-days/round-trip-question.ts';
import { isNotServed } from '../../search/not-served.ts';
import type { PageTokens } from '../../search/page-tokens.ts';
import type { SearchReader } from '../../search/reading/search-reader.ts';
import type { SearchAnswerEvent } from '../../search/search-answer.ts';
import type { SearchDocument } from '../../search/search-document.ts';
import { SearchParameters } from '../../search/search-parameters.ts';
import type { DocumentQuestion } from '../../search/search-query.ts';
import { readSearchView, textOf, viewDocument, viewEvents } from '../../search/search-view.ts';
import { RoundTripAnswer } from '../api/calendar-schemas.ts';
import { answerExamples, eventExamples, refusalExamples } from '../api/search-examples.ts';
import { SearchAnswer, SearchStreamEvent } from '../api/search-schemas.ts';
import type { BodySender } from '../body-sender.ts';
import type { CachedDocument } from '../cache-headers.ts';
import { ANSWER_TYPES, eventStream, isEventType, notAcceptable } from '../event-stream.ts';
import { preferredType, prefersPage } from '../preferred-type.ts';

const problem = { 'application/problem+json': { schema: Problem } };
const refused = (status: keyof typeof refusalExamples) => ({
  'application/problem+json': { schema: Problem, examples: refusalExamples[status] },
});
const events = { schema: SearchStreamEvent, examples: eventExamples };
// Typed `unknown`: the schemas document what is sent.
const response: unknown = {
  200: {
    description:
      'All answers, or those in time; with `returnDate` both ways, and offers for both together. As a stream, one event per line, or as server-sent events with the type as `event` and `id`',
    content: {
      'application/json': {
        schema: Type.Union([SearchAnswer, RoundTripAnswer]),
        examples: answerExamples,
      },
      'application/x-ndjson': events,
      'text/event-stream': events,
    },
  },
  204: { description: 'To an event source that has received its last event', type: 'null' },
  303: { description: 'To a browser, whose page is `/`', type: 'null' },
  400: { description: 'A parameter is wrong', content: refused(400) },
  406: { description: 'No media type that the server has', content: problem },
  502: { description: 'Every carrier failed', content: problem },
  503: { description: 'The server, or every carrier, is busy', content: refused(503) },
  504: { description: 'No carrier answered in time', content: refused(504) },
};
const schema = {
  summary: 'Ask every carrier for the trains of one day',
  operationId: 'search',
  tags: ['search'],
  querystring: SearchParameters,
  response,
};

/** A question as it was read for the admission of its request. */
interface Asked {
  readonly question: DocumentQuestion;
  readonly key?: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Question of `/search`, if it was read before the request was admitted. */
    asked: Asked | null;
  }
}

export interface SearchDependencies {
  readonly answers: Pick<Answers, 'document' | 'events' | 'roundTrip'>;
  readonly reader: SearchReader;
  readonly pageTokens: Pick<PageTokens, 'sealAll'>;
  readonly bodies: Pick<BodySender, 'send'>;
  /** Headers of a document for caches. `isLasting`: its address asks the same question on another day, and wants no new answers. */
  cacheHeadersOf(document: CachedDocument, isLasting: boolean): Readonly<Record<string, string>>;
  /** Exchange rates of now, `undefined` without any. */
  rates(): RateSource | undefined;
  /** True if equal questions share their work. */
  readonly isShared: boolean;
  /** Milliseconds that a request has left, from 1. */
  leftMs(request: { readonly arrivedAt: number }): number;
}

/** `GET /search`: one document, or a stream of events, by `Accept`. */
export const searchRoute: FastifyPluginCallbackTypebox<SearchDependencies> = (
  app,
  { answers, reader, pageTokens, bodies, cacheHeadersOf, rates, isShared, leftMs },
  done,
) => {
  app.decorateRequest('asked', null);
  const keyOf = (request: FastifyRequest): string | undefined => {
    const question = reader.readQuick(request.query as Record<string, unknown>);
    if (question === undefined) return undefined;
    const key = documentKey(question);
    request.asked = { question, key };
    return /event-stream|ndjson/.test(request.headers.accept ?? '') ? eventsKey(key) : key;
  };
  app.get(
    '/search',
    { schema, config: { admission: isShared ? { keyOf } : undefined }, onRequest },
    async (request, reply) => {
      const { question, key }: Asked = request.asked ?? {
        question: await reader.read(request.query),
      };
      const view = readSearchView(request.query, rates());
      const trip = readRoundTrip(question, request.query);
      const accepted = preferredType(request, ANSWER_TYPES);
      if (trip !== undefined && isEventType(accepted)) {
        throw badParameter(
          'returnDate',
          'absent from a stream: both ways are one document',
          trip.returnDate,
        );
      }
      if (trip !== undefined && accepted === 'application/json') {
        const found = await answers.roundTrip(trip, {
          signal: clientSignal(reply),
          deadlineMs: leftMs(request),
        });
        if (![found.outbound, found.inbound].some(({ carriers }) => carriers.some(hasAnswered))) {
          refuseWithoutAnswer(found.outbound);
        }
        reply.type('application/json; charset=utf-8');
        const body = Buffer.from(JSON.stringify(viewRoundTrip(found, view, pageTokens)));
        return bodies.send({ request, reply }, body);
      }
      if (accepted === 'application/json') {
        const document = await answers.document(question, {
          signal: clientSignal(reply),
          deadlineMs: leftMs(request),
          key,
        });
        refuseWithoutAnswer(document);
        const isLasting = request.query.date !== undefined && question.fresh === undefined;
        reply
          .headers(cacheHeadersOf(document, isLasting))
          .header('server-timing', serverTiming(document))
          .type('application/json; charset=utf-8');
        return bodies.send({ request, reply }, viewDocument(document, view, pageTokens));
      }
      if (!isEventType(accepted)) throw notAcceptable(request);
      // An EventSource connects again when a stream has ended: 204 makes it stop.
      if (LAST_EVENTS.has(request.headers['last-event-id'])) return reply.code(204).send(null);
      const events = answers.events(question, { deadlineMs: leftMs(request), key });
      const viewed = viewEvents(events, view, pageTokens);
      const leave = (): void => void viewed.return?.();
      clientSignal(reply).addEventListener('abort', leave);
      // A failure before the first event is a problem with its own status, as with a document.
      const begun = await withFirst(viewed);
      return reply.type(accepted).send(
        eventStream<SearchAnswerEvent>(begun, {
          type: accepted,
          textOf,
          failed: (error) => ({ type: 'search-failed', problem: lateProblem(error, request) }),
        }),
      );
    },
  );
  done();
};

const LAST_EVENTS: ReadonlySet<unknown> = new Set(['search-done', 'search-failed']);

/** A browser gets the page, also for wrong parameters, with the errors beside their fields. */
async function onRequest(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  reply.header('vary', 'accept, accept-encoding');
  if (!prefersPage(request)) return undefined;
  const [, search = ''] = request.url.split(/\?(.*)/s);
  return reply.redirect(search === '' ? '/' : `/?${search}`, 303);
}

/** @throws ProblemError if some carriers serve the stations, and none of these answered */
function refuseWithoutAnswer({ carriers }: Pick<SearchDocument, 'carriers'>): void {
  const serving = carriers.filter((carrier) => !isNotServed(carrier));
  if (serving.length === 0) return;
  if (serving.some(hasAnswered)) return;
  const some = (state: CarrierStatus['state']) =>
    serving.some((carrier) => carrier.state === state);
  const status = serving.every(isBusy) ? 503 : some('timeout') ? 504 : 502;
  const detail = carriers.map(({ carrier, error }) => `${carrier}: ${error?.message}`).join('; ');
  const waits = serving.flatMap(({ error }) => error?.retryAfterMs ?? []);
  const retryAfterMs = waits.length < serving.length ? undefined : Math.min(...waits);
  throw new ProblemError(status, { detail, carriers: [...carriers] }, retryAfterMs);
}

function serverTiming({ carriers, ms }: SearchDocument): string {
  return [
    ...carriers.map(({ carrier, ms: own }) => `${carrier};dur=${own}${describedCalls(carrier)}`),
    `search;dur=${ms}`,
  ].join(', ');
}

function describedCalls(carrier: string): string {
  const name = CARRIER_NAMES.find((one) => one === carrier);
  if (name === undefined) return '';
  const { title, calls } = carrierKinds[name];
  return `;desc="${title} ${calls}"`;
}
