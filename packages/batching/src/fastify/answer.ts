import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CoalescedRoute, learnVary, requestHeader } from './request-key.ts';

type HeaderValue = string | number | string[];

/** The outcome of a handler's run: an answer for all, or none that can be shared, so that each runs the handler. */
export type Answer =
  | { readonly kind: 'unshared' }
  | {
      readonly kind: 'shared';
      readonly status: number;
      /** Headers that the handler, and the hooks after it, set or changed. */
      readonly headers: ReadonlyMap<string, HeaderValue>;
      /** Headers among them that describe the body. */
      readonly bodyHeaders: readonly (readonly [name: string, value: HeaderValue])[];
      readonly removed: readonly string[];
      readonly payload: string | Uint8Array | null;
      /** Request headers that the answer depends on by its `Vary`, with their values. */
      readonly vary: readonly (readonly [name: string, value: string | undefined])[];
    };

export type SharedAnswer = Extract<Answer, { kind: 'shared' }>;

/** Headers of a reply before its handler ran. */
export type HeadersBefore = Readonly<Record<string, HeaderValue | undefined>>;

const unshared: Answer = { kind: 'unshared' };

// Headers of one connection or message (RFC 9110, 7.6.1), which are not shared.
const perMessage = new Set([
  'connection',
  'date',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

// Headers that describe the body: a client's hooks may add others, but must not change these.
const ofBody = [
  'accept-ranges',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-range',
  'content-type',
  'etag',
  'last-modified',
  'vary',
];

/** Reads the answer that a reply is about to send. */
export function readAnswer(
  reply: FastifyReply,
  payload: unknown,
  route: CoalescedRoute,
  before: HeadersBefore,
): Answer {
  if (payload != null && typeof payload !== 'string' && !(payload instanceof Uint8Array)) {
    return unshared;
  }
  const now = reply.getHeaders() as HeadersBefore;
  const names = varyNames(now['vary']);
  if (names.includes('*')) return unshared;
  const dropped = new Set([...perMessage, ...namesIn(now['connection'])]);
  const headers = new Map<string, HeaderValue>();
  for (const [name, value] of Object.entries(now)) {
    if (value === undefined || dropped.has(name) || String(before[name]) === String(value))
      continue;
    if (name !== 'set-cookie') headers.set(name, value);
    else if (!route.shareCredentials) return unshared;
    else headers.set(name, cookiesAfter(before[name], value));
  }
  learnVary(route, names);
  return {
    kind: 'shared',
    status: reply.statusCode,
    headers,
    bodyHeaders: ofBody.flatMap((name) => {
      const value = headers.get(name);
      return value === undefined ? [] : [[name, value] as const];
    }),
    removed: Object.keys(before).filter((name) => now[name] === undefined && !dropped.has(name)),
    payload: payload ?? null,
    vary: names.map((name) => [name, requestHeader(reply.request, name)]),
  };
}

/** Whether a request may have the answer to another, by the answer's `Vary` (RFC 9111, 4.1). */
export function answers(answer: SharedAnswer, request: FastifyRequest): boolean {
  return answer.vary.every(([name, value]) => requestHeader(request, name) === value);
}

/** Gives a reply the status and headers of an answer, besides those of its own hooks. */
export function fillReply(reply: FastifyReply, answer: SharedAnswer): void {
  reply.code(answer.status);
  for (const name of answer.removed) reply.removeHeader(name);
  for (const [name, value] of answer.headers) {
    reply.header(name, Array.isArray(value) ? [...value] : value);
  }
}

/** Restores the status and the headers that describe the body, which the hooks of this client may have changed. */
export function restoreReply(reply: FastifyReply, answer: SharedAnswer): void {
  reply.code(answer.status);
  for (const [name, value] of answer.bodyHeaders) reply.header(name, value);
}

function varyNames(value: HeaderValue | undefined): readonly string[] {
  return [...new Set(namesIn(value))];
}

function namesIn(value: HeaderValue | undefined): readonly string[] {
  return String(value ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
}

/** Returns the cookies that the handler added to those of the hooks before it. */
function cookiesAfter(before: HeaderValue | undefined, now: HeaderValue): string[] {
  const own = new Set([before ?? []].flat().map(String));
  return [now]
    .flat()
    .map(String)
    .filter((cookie) => !own.has(cookie));
}
