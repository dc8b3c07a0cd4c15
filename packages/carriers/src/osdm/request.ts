import {
  type CarrierContext,
  CarrierError,
  type CarrierFailure,
  type CarrierHttpResponse,
  type CarrierQuery,
} from '@ticketing/core';
import { showValue } from '@ticketing/kit';
import type { CarrierDecoder } from '../wire/decoder.ts';
import { refusePage, refuseRedirect } from '../wire/page-for-people.ts';
import { furtherPages } from '../wire/paging/further-pages.ts';
import { wireInstant } from '../wire/wire-instant.ts';
import { endOfDay, firstAsk, isWholeDay, type OsdmAsk, restOfDay } from './ask.ts';
import { ALL_STOPS, offersBody, type StationNames, tripCriteria } from './encode-request.ts';
import { type OsdmPage, readPage } from './page.ts';
import { PROBLEM_STATUSES, problemError } from './problem.ts';

/** Question, bytes of the answers, and the arrival of the last one (epoch ms). */
export interface OsdmWire {
  readonly pages: readonly OsdmPage[];
  /** True if a day was read to its end. */
  readonly whole: boolean;
  /** Reason why there are no further pages, if one failed or was too late. */
  readonly failure?: CarrierFailure;
  readonly receivedAt: number;
}

/** Access to a provider. */
export interface OsdmAccess {
  readonly carrier: string;
  readonly baseUrl: string;
  headers(): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  readonly requestor?: string | undefined;
  readonly language: string;
  readonly userAgent: string;
  readonly mode: 'one-call' | 'two-calls';
  readonly results: number;
  readonly maxPages: number;
  readonly codes: StationNames;
  readonly decoder: CarrierDecoder;
  now(): number;
}

/** Asks for one page of journeys; for a day, page after page until it ends. What a later page fails with ends the day early. */
export async function requestOsdm(
  access: OsdmAccess,
  query: CarrierQuery,
  context: CarrierContext,
): Promise<OsdmWire> {
  const { carrier, maxPages, now, decoder } = access;
  const ask = firstAsk(carrier, query, { clock: decoder.clock, nowMs: now() });
  const further = furtherPages(carrier, { context, now });
  const first = await askPage(access, query, context, ask);
  if (!isWholeDay(query)) {
    return { pages: [first ?? { ask }], whole: false, receivedAt: now() };
  }
  if (first === undefined) {
    throw new CarrierError(
      'NO_RESULTS',
      `Cannot ask \`${carrier}\`: it has no trip on ${query.date}`,
    );
  }
  const pages = [first];
  let next = nextOfDay(access, query, first);
  let failure: CarrierFailure | undefined;
  while (next !== undefined && pages.length < maxPages) {
    failure = further.late();
    if (failure !== undefined) break;
    try {
      const page: OsdmPage | undefined = await askPage(access, query, further.context, next);
      next = page && nextOfDay(access, query, page);
      if (page !== undefined) pages.push(page);
    } catch (error) {
      failure = further.failure(error);
      break;
    }
  }
  return { pages, whole: next === undefined, receivedAt: now(), ...(failure && { failure }) };
}

/** Returns the ask for the rest of a day, `undefined` when a page reaches its end. */
function nextOfDay(
  { decoder }: OsdmAccess,
  query: CarrierQuery,
  page: OsdmPage,
): OsdmAsk | undefined {
  const { trips, links } = readPage(decoder, page);
  const times = trips.flatMap(({ startTime }) => instantOf(startTime) ?? []);
  const endMs = endOfDay(query, decoder.clock);
  return times.some((ms) => ms >= endMs) ? undefined : restOfDay(page.ask, { times, links });

  function instantOf(text: unknown): number | undefined {
    try {
      return wireInstant(decoder.clock, text, query.origin.zone);
    } catch {
      return undefined;
    }
  }
}

/** Returns `undefined` when the provider reports that there are no journeys. */
async function askPage(
  access: OsdmAccess,
  query: CarrierQuery,
  context: CarrierContext,
  ask: OsdmAsk,
): Promise<OsdmPage | undefined> {
  const { results, codes, decoder } = access;
  const { carrier, clock, read } = decoder;
  const criteria = tripCriteria(ask, query, { carrier, clock, codes, results });
  const post = (path: string, body: object): Promise<Bytes | undefined> =>
    orNothing(() => send(access, context, { path, body }));
  if (access.mode === 'one-call' && query.page === undefined) {
    const offers = await post('/offers', offersBody({ tripSearchCriteria: criteria }, query));
    return offers && { ask, offers };
  }
  const trips = await post(`/trips-collections${tripsSearch(ask, query)}`, criteria);
  if (trips === undefined) return undefined;
  const tripIds = readPage(decoder, { ask, trips }).trips.map((trip) => read.text(trip, 'id'));
  if (tripIds.length === 0) return { ask, trips };
  const offers = await post('/offers', offersBody({ tripIds }, query));
  return { ask, trips, ...(offers && { offers }) };
}

/** The query of a link, and whether stops are wanted: a link need not repeat it. */
function tripsSearch({ link = '' }: OsdmAsk, { stops }: CarrierQuery): string {
  if (!stops || new URLSearchParams(link).has('stopBehavior')) return link;
  return `${link === '' ? '?' : `${link}&`}stopBehavior=${ALL_STOPS}`;
}

/** Bytes of an answer. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** Returns `undefined` for an answer that there is nothing. */
export async function orNothing<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (CarrierError.is(error) && error.code === 'NO_RESULTS') return undefined;
    throw error;
  }
}

/** Posts a request of the standard, and returns the bytes of its answer. @throws CarrierError for a problem */
export async function send(
  access: OsdmAccess,
  { signal, deadline, http }: CarrierContext,
  { path, body }: { readonly path: string; readonly body: object },
): Promise<Bytes> {
  const { carrier, baseUrl, codes, decoder } = access;
  const answer = await http.send({
    method: 'POST',
    url: `${baseUrl}${path}`,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, application/problem+json',
      'accept-language': access.language,
      'user-agent': access.userAgent,
      'x-accept-namespace': codes.namespace,
      ...(access.requestor !== undefined && { requestor: access.requestor }),
      ...(await ownHeaders(access)),
    },
    body: JSON.stringify(body),
    signal,
    deadline,
    alsoResolve: PROBLEM_STATUSES,
  });
  refuseRedirect(carrier, answer);
  if (answer.status >= 400) throw problemError(carrier, problemOf(answer), answer.status);
  const type = answer.headers['content-type'];
  if (type !== undefined && !/json/i.test(String(type))) {
    refusePage(carrier, new TextDecoder().decode(answer.body));
    throw decoder.read.error('a JSON content type', type);
  }
  return answer.body;
}

/** Returns the problem of an answer; providers of older drafts have other bodies. */
function problemOf({ body }: CarrierHttpResponse): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

async function ownHeaders({ carrier, headers }: OsdmAccess): Promise<Record<string, string>> {
  let own: unknown;
  try {
    own = await headers();
  } catch (cause) {
    if (CarrierError.is(cause)) throw cause;
    throw new CarrierError('AUTH', `Cannot ask \`${carrier}\`: \`headers\` failed`, { cause });
  }
  const entries = Object.entries(Object(own) as object);
  const wrong = entries.find(([, value]) => typeof value !== 'string');
  if (wrong !== undefined) {
    throw new TypeError(
      `Cannot ask \`${carrier}\`: \`headers\` must return texts, got ${showValue(wrong[1])} for ${showValue(wrong[0])}`,
    );
  }
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value as string]));
}
