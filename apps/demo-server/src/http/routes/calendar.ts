import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { CalendarEvent } from '@ticketing/core';
import type { Answers } from '../../answers/answers.ts';
import { clientSignal, lateProblem, Problem } from '../../problem/problem.ts';
import { mapItems, withFirst } from '../../search/map-items.ts';
import { CalendarParameters } from '../../search/more-days/calendar-question.ts';
import type { SearchReader } from '../../search/reading/search-reader.ts';
import type { SearchAnswerEvent } from '../../search/search-answer.ts';
import { calendarEventExamples, calendarExamples } from '../api/calendar-examples.ts';
import { CalendarAnswer, CalendarStreamEvent } from '../api/calendar-schemas.ts';
import type { BodySender } from '../body-sender.ts';
import { ANSWER_TYPES, eventStream, isEventType, notAcceptable } from '../event-stream.ts';
import { preferredType } from '../preferred-type.ts';

const problem = { content: { 'application/problem+json': { schema: Problem } } };
const events = { schema: CalendarStreamEvent, examples: calendarEventExamples };
// Typed `unknown`: the schemas document what is sent.
const response: unknown = {
  200: {
    description:
      'Each day that can still be asked for. As a stream, one event per line, or as server-sent events with the type as `event` and `id`',
    content: {
      'application/json': { schema: CalendarAnswer, examples: calendarExamples },
      'application/x-ndjson': events,
      'text/event-stream': events,
    },
  },
  204: { description: 'To an event source that has received its last event', type: 'null' },
  400: { description: 'A parameter is wrong', ...problem },
  406: { description: 'No media type that the server has', ...problem },
  503: { description: 'The server is busy', ...problem },
};
const schema = {
  summary: 'Least price of each day of a month',
  description:
    "From carriers' own calendars, from answers of the last hour, and of the carriers in --calendar-days by searches. A day that nobody knows is `unknown`.",
  operationId: 'calendar',
  tags: ['search'],
  querystring: CalendarParameters,
  response,
};

export interface CalendarDependencies {
  readonly answers: Pick<Answers, 'calendar' | 'calendarEvents'>;
  readonly reader: Pick<SearchReader, 'readCalendar'>;
  readonly bodies: Pick<BodySender, 'send'>;
  /** Milliseconds that a request has left, from 1. */
  leftMs(request: { readonly arrivedAt: number }): number;
}

/** An event as a client gets it: a failure is the last. */
type CalendarAnswerEvent =
  | CalendarEvent
  | Extract<SearchAnswerEvent, { readonly type: 'search-failed' }>;

const LAST_EVENTS: ReadonlySet<unknown> = new Set(['calendar-done', 'search-failed']);

/** `GET /calendar`: one document, or a stream of events, by `Accept`. */
export const calendarRoute: FastifyPluginCallbackTypebox<CalendarDependencies> = (
  app,
  { answers, reader, bodies, leftMs },
  done,
) => {
  app.get('/calendar', { schema }, async (request, reply) => {
    reply.header('vary', 'accept, accept-encoding');
    const asked = await reader.readCalendar(request.query);
    const accepted = preferredType(request, ANSWER_TYPES);
    if (accepted === 'application/json') {
      const signal = clientSignal(reply);
      const found = await answers.calendar(asked, { signal, deadlineMs: leftMs(request) });
      reply.type('application/json; charset=utf-8');
      return bodies.send({ request, reply }, Buffer.from(JSON.stringify(found)));
    }
    if (!isEventType(accepted)) throw notAcceptable(request);
    // An EventSource connects again when a stream has ended: 204 makes it stop.
    if (LAST_EVENTS.has(request.headers['last-event-id'])) return reply.code(204).send(null);
    const found = answers.calendarEvents(asked, { deadlineMs: leftMs(request) });
    const leave = (): void => void found.return?.();
    clientSignal(reply).addEventListener('abort', leave);
    // A failure before the first event is a problem with its own status, as with a document.
    const begun = await withFirst(mapItems(found, (event): CalendarAnswerEvent => event));
    return reply.type(accepted).send(
      eventStream<CalendarAnswerEvent>(begun, {
        type: accepted,
        textOf: JSON.stringify,
        failed: (error) => ({ type: 'search-failed', problem: lateProblem(error, request) }),
      }),
    );
  });
  done();
};
