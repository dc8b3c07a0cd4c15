import { Readable } from 'node:stream';
import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { CarrierStatus } from '@ticketing/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Parts } from '../../compose.ts';
import { CARRIER_NAMES, carrierCalls, carrierTitles } from '../../search/carriers.ts';
import { documentQuestion } from '../../search/documents.ts';
import { isNotServed } from '../../search/not-served.ts';
import { SearchParameters } from '../../search/query/search-parameters.ts';
import { readSearchQuestion } from '../../search/query/search-query.ts';
import { stationsFor } from '../../search/query/station-texts.ts';
import type { SearchAnswerEvent } from '../../search/search-answer.ts';
import { readSearchView, textOf, viewDocument, viewEvents } from '../../search/search-view.ts';
import type { SearchDocument } from '../../search/searches.ts';
import { streamKey } from '../../search/shared-streams.ts';
import { answerExamples, eventExamples, refusalExamples } from '../api/search-examples.ts';
import { SearchAnswer, SearchStreamEvent } from '../api/search-schemas.ts';
import { preferredType, prefersPage } from '../preferred-type.ts';
import { clientSignal, lateProblem, Problem, ProblemError } from '../problem.ts';
import { sendDocument } from '../send-document.ts';

const problem = { 'application/problem+json': { schema: Problem } };
const refused = (status: keyof typeof refusalExamples) => ({
  'application/problem+json': { schema: Problem, examples: refusalExamples[status] },
});
const events = { schema: SearchStreamEvent, examples: eventExamples };
// Typed `unknown`: the schemas document what is sent.
const response: unknown = {
  200: {
    description:
      'All answers, or those in time. As a stream, one event per line, or as server-sent events with the type as `event` and `id`',
    content: {
      'application/json': { schema: SearchAnswer, examples: answerExamples },
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

/** `GET /search`: one document, or a stream of events, as `Accept` says. */
export const searchRoute: FastifyPluginCallbackTypebox<Parts> = (
  app,
  { finders, streams, encoder, stationTexts, carriers, pageTokens, now, leftMs },
  done,
) => {
  const isShared = finders.document.stats() !== undefined;
  const keyOf = ({ url, headers }: FastifyRequest): string | undefined => {
    const key = isShared
      ? documentQuestion.keyOfTarget(url, { nowMs: now(), carriers, pageTokens })
      : undefined;
    const isStream = /event-stream|ndjson/.test(headers.accept ?? '');
    return key !== undefined && isStream ? streamKey(key) : key;
  };
  app.get(
    '/search',
    { schema, config: { admission: { keyOf } }, onRequest },
    async (request, reply) => {
      const stations = await stationsFor(request.query, stationTexts);
      const context = { stations, carriers, nowMs: now(), pageTokens };
      const question = readSearchQuestion(request.query, context);
      const view = readSearchView(request.query);
      const accepted = preferredType(request, ['application/json', ...Object.keys(eventFormats)]);
      if (accepted === 'application/json') {
        const document = await finders.document.find(question, {
          signal: clientSignal(reply),
          deadlineMs: leftMs(request),
        });
        refuseWithoutAnswer(document);
        reply
          .header('server-timing', serverTiming(document))
          .type('application/json; charset=utf-8');
        return sendDocument({ request, reply, encoder }, viewDocument(document, view, pageTokens));
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
      if (LAST_EVENTS.has(request.headers['last-event-id'])) return reply.code(204).send(null);
      const events = streams.follow(question, { deadlineMs: leftMs(request) });
      const viewed = viewEvents(events, view, pageTokens);
      const leave = (): void => void viewed.return?.();
      clientSignal(reply).addEventListener('abort', leave);
      // A failure before the first event is a problem with its own status, as with a document.
      const first = await viewed.next();
      return reply.type(accepted).send(
        toStream(viewed, {
          first,
          format,
          failed: (error) => ({ type: 'search-failed', problem: lateProblem(error, request) }),
        }),
      );
    },
  );
  done();
};

const LAST_EVENTS: ReadonlySet<unknown> = new Set(['search-done', 'search-failed']);

/** A browser gets the page, also for parameters that are wrong: it says so beside their fields. */
async function onRequest(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  reply.header('vary', 'accept, accept-encoding');
  if (!prefersPage(request)) return undefined;
  const [, search = ''] = request.url.split(/\?(.*)/s);
  return reply.redirect(search === '' ? '/' : `/?${search}`, 303);
}

/** A carrier may answer if it is asked later. */
const BUSY: ReadonlySet<CarrierStatus['state']> = new Set(['rejected-busy', 'rate-limited']);

/** @throws ProblemError if some carriers serve the stations, and none of these answered */
function refuseWithoutAnswer({ carriers }: SearchDocument): void {
  const serving = carriers.filter((carrier) => !isNotServed(carrier));
  if (serving.length === 0) return;
  if (serving.some(({ state }) => state === 'ok' || state === 'empty')) return;
  const some = (state: CarrierStatus['state']) =>
    serving.some((carrier) => carrier.state === state);
  const isBusy = serving.every(({ state }) => BUSY.has(state));
  const status = isBusy ? 503 : some('timeout') ? 504 : 502;
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
type EventFormat = (event: SearchAnswerEvent) => string;

/** By media type: one JSON document per line, and server-sent events (HTML standard, 9.2). */
const eventFormats: Readonly<Record<string, EventFormat>> = {
  'application/x-ndjson': (event) => `${textOf(event)}\n`,
  'text/event-stream': (event) =>
    `id: ${event.type}\nevent: ${event.type}\ndata: ${textOf(event)}\n\n`,
};

/**
 * Makes a byte stream of events, of which the first is here; an error becomes the last. Destroying it ends the iteration at once;
 * with a generator in between it would end after the next event.
 */
function toStream(
  events: AsyncIterableIterator<SearchAnswerEvent>,
  {
    first,
    format,
    failed,
  }: {
    readonly first: IteratorResult<SearchAnswerEvent>;
    readonly format: EventFormat;
    readonly failed: (error: unknown) => SearchAnswerEvent;
  },
): Readable {
  let isFirst = true;
  const lines: AsyncIterableIterator<string> = {
    async next() {
      const following = isFirst ? first : events.next();
      isFirst = false;
      try {
        const { done, value } = await following;
        return done ? { done, value: undefined } : { done: false, value: format(value) };
      } catch (error) {
        return { done: false, value: format(failed(error)) };
      }
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
