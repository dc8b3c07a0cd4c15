import {
  type CarrierContext,
  CarrierError,
  type CarrierFailure,
  type CarrierQuery,
  type LocalClock,
} from '@ticketing/core';
import type { CarrierDecoder } from '../wire/decoder.ts';
import type { RequestHeaders } from '../wire/endpoint.ts';
import { refuseRedirect } from '../wire/page-for-people.ts';
import { furtherPages } from '../wire/paging/further-pages.ts';
import { questionOf, type TimeQuestion } from '../wire/paging/time-question.ts';
import { wireInstant } from '../wire/wire-instant.ts';
import { writeTripRequest } from './trip-request.ts';

/** The answers to the pages of one question, in turn. */
export interface OjpWire {
  readonly question: TimeQuestion;
  readonly answers: readonly OjpAnswer[];
  /** True if no trip until the end of the question is missing. */
  readonly whole: boolean;
  /** Reason why there are no further answers, if one failed or was too late. */
  readonly failure?: CarrierFailure;
}

interface OjpAnswer {
  readonly status: number;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Access to an OJP server. */
export interface OjpAccess {
  readonly url: string;
  readonly decoder: CarrierDecoder;
  readonly requestor: string;
  readonly results: number;
  readonly maxPages: number;
  readonly userAgent: string;
  readonly headers: RequestHeaders | undefined;
  readonly now: () => number;
}

const MINUTE_MS = 60_000;

/**
 * Asks for a page, or for a day page by page: as long as trips of the day may be missing, there are less than `maxPages`, and there
 * is time. What a later page fails with ends the answer early.
 */
export async function requestOjp(
  access: OjpAccess,
  query: CarrierQuery,
  context: CarrierContext,
): Promise<OjpWire> {
  const { decoder, now, maxPages } = access;
  const question = questionOf(decoder.carrier, query, { clock: decoder.clock, nowMs: now() });
  const further = furtherPages(decoder.carrier, { context, now });
  const first = await askPage(access, query, context, question);
  const answers = [first];
  const { untilMs } = question;
  if (untilMs === undefined || first.status >= 400) return { question, answers, whole: false };
  let { atMs } = question;
  let reached = lastDeparture(decoder.clock, first.body, query.origin.zone);
  while (reached !== undefined && reached < untilMs) {
    if (answers.length >= maxPages) return { question, answers, whole: false };
    // Trips of the last minute may be missing, unless the page has no others.
    atMs = reached > atMs ? reached : atMs + MINUTE_MS;
    const late = further.late();
    if (late !== undefined) return { question, answers, whole: false, failure: late };
    let next: OjpAnswer;
    try {
      next = await askPage(access, query, further.context, { ...question, atMs });
    } catch (error) {
      return { question, answers, whole: false, failure: further.failure(error) };
    }
    answers.push(next);
    const last = lastDeparture(decoder.clock, next.body, query.origin.zone);
    // Nothing after the last minute: that was the last trip.
    if (last !== undefined && last <= reached && atMs > reached) break;
    reached = last;
  }
  return { question, answers, whole: true };
}

async function askPage(
  { url, decoder, requestor, results, userAgent, headers, now }: OjpAccess,
  query: CarrierQuery,
  { http, signal, deadline }: CarrierContext,
  page: TimeQuestion,
): Promise<OjpAnswer> {
  const answer = await http.send({
    method: 'POST',
    url,
    headers: {
      accept: 'application/xml, text/xml',
      'user-agent': userAgent,
      ...(await headersOf(decoder.carrier, headers)),
      'content-type': 'application/xml',
    },
    body: writeTripRequest(query, {
      carrier: decoder.carrier,
      requestor,
      system: decoder.system,
      page,
      // The server gives the journeys that are known once more.
      results: results + (page.known?.length ?? 0),
      nowMs: now(),
    }),
    signal,
    deadline,
    // The body of some servers has what was wrong with a request.
    alsoResolve: [400],
  });
  refuseRedirect(decoder.carrier, answer);
  return { status: answer.status, body: answer.body };
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

/**
 * Finds the departure of the trip that leaves last, without decoding: this half of an adapter runs where sockets are. What it finds
 * decides what is asked next, and nothing else.
 */
export function lastDeparture(
  clock: LocalClock,
  body: Uint8Array,
  zone: string,
): number | undefined {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  let last: number | undefined;
  for (let at = bytes.indexOf('Trip>'); at >= 0; at = bytes.indexOf('Trip>', at)) {
    const start = bytes.indexOf('TimetabledTime>', at);
    if (start < 0) break;
    at = start + 'TimetabledTime>'.length;
    const ms = departureMs(bytes.toString('latin1', at, at + 40).split('<', 1)[0]);
    if (ms > (last ?? 0)) last = ms;
  }
  return last;

  function departureMs(text: string | undefined): number {
    try {
      return wireInstant(clock, text, zone) ?? Number.NaN;
    } catch {
      return Number.NaN;
    }
  }
}
