import {
  type AnswerHeaders,
  type HeaderValue,
  requestHeader,
  type SentHeaders,
} from './header-fields.ts';
import { type CoalescedRoute, learnVary } from './route-key.ts';

/** The outcome of a handler's run: an answer for all, or none that can be shared, so that each request runs the handler. */
export type Answer =
  | { readonly kind: 'unshared' }
  | {
      readonly kind: 'shared';
      readonly status: number;
      /** Headers that the handler, and the hooks after it, set or changed. */
      readonly headers: ReadonlyMap<string, HeaderValue>;
      /** Headers that describe the body. */
      readonly bodyHeaders: readonly (readonly [name: string, value: HeaderValue])[];
      readonly removed: readonly string[];
      /** `undefined` for one that the framework makes of the status. */
      readonly payload: string | Uint8Array | null | undefined;
      /** Request headers that the answer depends on by its `Vary`, with their values. */
      readonly vary: readonly (readonly [name: string, value: string | undefined])[];
    };

export type SharedAnswer = Extract<Answer, { kind: 'shared' }>;

export const unshared: Answer = { kind: 'unshared' };

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

/** An answer that is about to be sent, and the request that it is for. */
interface AnswerToRead {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** Headers that the answer had before the handler ran. */
  readonly before: AnswerHeaders;
  readonly payload: unknown;
  readonly sent: SentHeaders;
}

/** Reads an answer that is about to be sent. */
export function readAnswer(
  { status, headers: now, before, payload, sent }: AnswerToRead,
  route: CoalescedRoute,
): Answer {
  if (payload != null && typeof payload !== 'string' && !(payload instanceof Uint8Array)) {
    return unshared;
  }
  const names = varyNames(now['vary']);
  if (names.includes('*')) return unshared;
  const dropped = new Set([...perMessage, ...namesIn(now['connection'])]);
  const headers = new Map<string, HeaderValue>();
  for (const [name, value] of Object.entries(now)) {
    // HTTP/2 has the status among the headers, once they are written.
    if (value === undefined || dropped.has(name) || name.startsWith(':')) continue;
    if (String(before[name]) === String(value)) continue;
    if (name !== 'set-cookie') headers.set(name, value);
    else if (!route.shareCredentials) return unshared;
    else headers.set(name, cookiesAfter(before[name], value));
  }
  learnVary(route, names);
  return {
    kind: 'shared',
    status,
    headers,
    bodyHeaders: ofBody.flatMap((name) => {
      const value = headers.get(name);
      return value === undefined ? [] : [[name, value] as const];
    }),
    removed: Object.keys(before).filter((name) => now[name] === undefined && !dropped.has(name)),
    payload,
    vary: names.map((name) => [name, requestHeader(sent, name)]),
  };
}

/** Returns whether a request may have the answer to another, by the answer's `Vary` (RFC 9111, 4.1). */
export function answers(answer: SharedAnswer, sent: SentHeaders): boolean {
  return answer.vary.every(([name, value]) => requestHeader(sent, name) === value);
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

/** Returns the cookies that the handler added; the hooks before it may have set others. */
function cookiesAfter(before: HeaderValue | undefined, now: HeaderValue): string[] {
  const own = new Set([before ?? []].flat().map(String));
  return [now]
    .flat()
    .map(String)
    .filter((cookie) => !own.has(cookie));
}
