import {
  type CarrierContext,
  CarrierError,
  type CarrierFailure,
  type CarrierHttpResponse,
  type CarrierQuery,
} from '@ticketing/core';
import type { CarrierDecoder } from '../wire/decoder.ts';
import type { RequestHeaders } from '../wire/endpoint.ts';
import { refusePage, refuseRedirect } from '../wire/page-for-people.ts';
import { furtherPages } from '../wire/paging/further-pages.ts';
import { askedMs } from '../wire/paging/time-pages.ts';
import { questionOf, type TimeQuestion } from '../wire/paging/time-question.ts';
import { type NavitiaAnswer, PROBLEM_STATUSES, problemIn, timesIn } from './answer.ts';
import { askRange, type RangePages } from './ask-range.ts';
import { askWindow, isNative } from './ask-window.ts';
import { journeysUrl, type NavitiaAsk, type NavitiaServer } from './journeys-url.ts';

/** The answers to a question, in turn. */
export interface NavitiaWire {
  readonly question: TimeQuestion;
  readonly answers: readonly NavitiaAnswer[];
  /** True if no journey until the end of what was asked for is missing. */
  readonly whole: boolean;
  /** Epoch ms at which the last answer arrived. */
  readonly receivedAt: number;
  /** Far end, epoch ms, of a page against the direction of the server; absent where the timetable ends before. */
  readonly farMs?: number;
  /** Reason why there are no further answers, if one failed or was too late. */
  readonly failure?: CarrierFailure;
}

/** Access to a server of Navitia. */
export interface NavitiaAccess extends Omit<NavitiaServer, 'carrier'> {
  readonly decoder: CarrierDecoder;
  readonly zone: string;
  readonly results: number;
  readonly maxPages: number;
  readonly userAgent: string;
  readonly headers: RequestHeaders | undefined;
  readonly now: () => number;
}

/** Milliseconds until a key that asked too often in one second may ask again. */
const THROTTLED_MS = 1000;
const TOO_LARGE = 413;

/**
 * Asks for a page, or for a day page by page: as long as journeys of the day may be missing, there are less than `maxPages`, and there
 * is time. What a later page fails with ends the answer early. Departures before an instant, and arrivals after one, are asked for by
 * windows: the server plans the other way alone.
 */
export async function requestNavitia(
  access: NavitiaAccess,
  query: CarrierQuery,
  context: CarrierContext,
): Promise<NavitiaWire> {
  const { decoder, now, results, maxPages } = access;
  const { carrier, clock } = decoder;
  const question = questionOf(carrier, query, { clock, nowMs: now() });
  const { by, atMs, untilMs, known = [] } = question;
  const further = furtherPages(carrier, { context, now });
  const ask = (one: NavitiaAsk, own = context): Promise<NavitiaAnswer> =>
    askOnce(access, query, { context: own, ask: one });
  const pages: RangePages = {
    ask: (range, index) => ask({ ...range, results }, index > 0 ? further.context : context),
    timesIn: (answer) => timesIn(access, answer),
    late: () => further.late(),
    failure: (error) => further.failure(error),
  };
  if (untilMs !== undefined) {
    const asked = await askRange(pages, { by, fromMs: atMs, toMs: untilMs, most: maxPages });
    return { question, ...asked, receivedAt: now() };
  }
  if (isNative(question)) {
    // The server gives the journeys that are known once more.
    const answer = await ask({ by, atMs: askedMs(question), results: results + known.length });
    return { question, answers: [answer], whole: false, receivedAt: now() };
  }
  const window = await askWindow(
    {
      ...pages,
      ask: (range) => ask({ ...range, results }),
      problemIn: (answer) => problemIn(access, answer),
    },
    { by, atMs },
    { clock, zone: by === 'departure' ? query.origin.zone : query.destination.zone },
  );
  return { question, ...window, receivedAt: now() };
}

interface Ask {
  readonly context: CarrierContext;
  readonly ask: NavitiaAsk;
}

/** An answer that is too large is asked for once more, with half the time and half the journeys. */
async function askOnce(
  access: NavitiaAccess,
  query: CarrierQuery,
  { context, ask }: Ask,
): Promise<NavitiaAnswer> {
  try {
    return await send(access, query, { context, ask });
  } catch (error) {
    if (!CarrierError.is(error)) throw error;
    if (error.code === 'RATE_LIMITED' && error.retryAfterMs === undefined) throw throttled(error);
    if (error.httpStatus !== TOO_LARGE) throw error;
    const { atMs, toMs, results } = ask;
    const smaller: NavitiaAsk = {
      ...ask,
      results: Math.ceil(results / 2),
      ...(toMs !== undefined && { toMs: (atMs + toMs) / 2 }),
    };
    return send(access, query, { context, ask: smaller });
  }
}

async function send(
  access: NavitiaAccess,
  query: CarrierQuery,
  { context: { http, signal, deadline }, ask }: Ask,
): Promise<NavitiaAnswer> {
  const { carrier, read } = access.decoder;
  const answer = await http.send({
    method: 'GET',
    url: journeysUrl({ ...access, carrier }, query, ask),
    headers: {
      accept: 'application/json',
      'user-agent': access.userAgent,
      ...(await headersOf(carrier, access.headers)),
    },
    signal,
    deadline,
    alsoResolve: PROBLEM_STATUSES,
  });
  refuseRedirect(carrier, answer);
  refuseOtherType(answer);
  const { status, body } = answer;
  return { status, body };

  function refuseOtherType({ status, headers, body }: CarrierHttpResponse): void {
    const type = headers['content-type'];
    if (status >= 400 || type === undefined || /json/i.test(String(type))) return;
    refusePage(carrier, new TextDecoder().decode(body));
    throw read.error('a JSON content type', type);
  }
}

/** Limits of keys are per second, and the answer does not name it. */
function throttled({ message, httpStatus }: CarrierError): CarrierError {
  return new CarrierError('RATE_LIMITED', message, { httpStatus, retryAfterMs: THROTTLED_MS });
}

async function headersOf(
  carrier: string,
  headers: RequestHeaders | undefined,
): Promise<Readonly<Record<string, string>> | undefined> {
  try {
    return await headers?.();
  } catch (cause) {
    const message = `Cannot ask \`${carrier}\`: \`headers\` failed`;
    throw CarrierError.is(cause) ? cause : new CarrierError('AUTH', message, { cause });
  }
}
