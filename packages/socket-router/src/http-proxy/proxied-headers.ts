import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { isFraming, namesIn } from '../reading/http/connection-options.ts';
import { CLAIM_TERMS, type ClaimTerms, encodeTerms } from '../wire/claim-marks.ts';
import { ARRIVED_AT } from '../wire/messages.ts';

/**
 * Headers that belong to one connection, RFC 9110 7.6.1; `trailer`, because trailers are not passed on; `expect`, which the
 * first server has answered.
 */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
]);

const FORWARDED_FOR = 'x-forwarded-for';

/** Headers that proxies write about the client. A client cannot have them removed. */
const OF_PROXIES = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/;

/** Value of `X-Forwarded-For` for a client without an address, RFC 7239 6.2: the path of its socket is text of others. */
const UNKNOWN = 'unknown';

/** Facts that a server behind the proxy cannot learn from its own connection. */
export interface RequestOrigin {
  /** The client's address, or the path of its unix socket. */
  readonly remoteAddress: string | undefined;
  /** Time of arrival, on the machine's monotonic clock. */
  readonly arrivedAt: number;
  /** Terms of the claim; without them a worker may claim the request at any time. */
  readonly terms?: ClaimTerms | undefined;
}

/**
 * Returns the headers of a proxied request, as names and values in turn: without hop-by-hop headers, with the length
 * that was read, with the client's address at the end of `X-Forwarded-For`, and with the time of arrival.
 */
export function requestHeaders(request: IncomingMessage, origin: RequestOrigin): string[] {
  const { headers, rawHeaders } = request;
  const { remoteAddress, arrivedAt, terms } = origin;
  const passed = passedOn(rawHeaders, remoteAddress === undefined ? ARRIVED : ARRIVED_FROM);
  // The client's framing ended here: Node reads a body as it declares it, and sends it anew.
  if (headers['transfer-encoding'] !== undefined) passed.push('transfer-encoding', 'chunked');
  passed.push(ARRIVED_AT, String(arrivedAt));
  if (terms !== undefined) passed.push(CLAIM_TERMS, encodeTerms(terms));
  if (remoteAddress === undefined) return passed;
  const before = headers[FORWARDED_FOR];
  const address = isIP(remoteAddress) === 0 ? UNKNOWN : remoteAddress;
  passed.push(FORWARDED_FOR, before === undefined ? address : `${before}, ${address}`);
  return passed;
}

/** Headers of a request that the proxy writes itself. */
const ARRIVED: ReadonlySet<string> = new Set([ARRIVED_AT, CLAIM_TERMS]);
const ARRIVED_FROM: ReadonlySet<string> = new Set([...ARRIVED, FORWARDED_FOR]);
const NONE: ReadonlySet<string> = new Set();

/** Returns the headers of a proxied answer, as names and values in turn: without hop-by-hop headers. */
export function responseHeaders(raw: readonly string[]): string[] {
  return passedOn(raw, NONE);
}

/** Returns whether the proxy can pass an answer on: it has no coding but the chunks that Node takes off. */
export function isPassable({ statusCode = 0, headers }: IncomingMessage): boolean {
  const codings = headers['transfer-encoding'];
  if (codings !== undefined && codings.toLowerCase() !== 'chunked') return false;
  // A switch of protocols is no answer, and Node passes on no other one of these.
  return statusCode >= 200;
}

/** Returns whether a request failed by bytes that the worker answered with: it has run, and would fail again. */
export function hasBadAnswer(error: NodeJS.ErrnoException | undefined): boolean {
  return error?.code?.startsWith('HPE_') === true;
}

function passedOn(raw: readonly string[], replaced: ReadonlySet<string>): string[] {
  const named = namedByConnection(raw);
  const passed: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] as string;
    const lowerCase = name.toLowerCase();
    if (HOP_BY_HOP.has(lowerCase) || replaced.has(lowerCase) || named?.has(lowerCase)) continue;
    passed.push(name, raw[index + 1] as string);
  }
  return passed;
}

/** Options of `Connection` that name no further header; almost every message has only these. */
const IGNORED: ReadonlySet<string> = new Set(['', 'close', 'upgrade', ...HOP_BY_HOP]);

/** Returns the further headers that all fields `Connection` of a message name. */
function namedByConnection(raw: readonly string[]): ReadonlySet<string> | undefined {
  let named: Set<string> | undefined;
  for (let index = 0; index < raw.length; index += 2) {
    if ((raw[index] as string).toLowerCase() !== 'connection') continue;
    for (const name of namesIn([raw[index + 1] as string])) {
      if (IGNORED.has(name) || isFraming(name) || OF_PROXIES.test(name)) continue;
      named ??= new Set();
      named.add(name);
    }
  }
  return named;
}
