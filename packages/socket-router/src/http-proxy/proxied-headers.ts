import type { IncomingMessage } from 'node:http';
import { ARRIVED_AT } from '../wire/messages.ts';

/** Headers that belong to one connection, RFC 9110 7.6.1, and `expect`, which the first server has answered. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
  'expect',
]);

/** Options of `Connection` that name no further header. */
const IGNORED: ReadonlySet<string> = new Set(['', 'close', 'keep-alive', 'upgrade', 'te']);

const FORWARDED_FOR = 'x-forwarded-for';

/** What a server behind the proxy cannot learn from its own connection. */
export interface RequestOrigin {
  readonly remoteAddress: string | undefined;
  /** On the machine's monotonic clock. */
  readonly arrivedAt: number;
}

/**
 * Returns the headers of a proxied request, as names and values in turn: without those of the connection, with the
 * client's address at the end of `X-Forwarded-For`, and with the time of arrival.
 */
export function requestHeaders(request: IncomingMessage, origin: RequestOrigin): string[] {
  const { remoteAddress, arrivedAt } = origin;
  let headers = withoutHopByHop(request.rawHeaders, request.headers.connection);
  if (request.headers[ARRIVED_AT] !== undefined) headers = without(headers, ARRIVED_AT);
  headers.push(ARRIVED_AT, String(arrivedAt));
  if (remoteAddress === undefined) return headers;
  const before = request.headers[FORWARDED_FOR];
  const kept = before === undefined ? headers : without(headers, FORWARDED_FOR);
  kept.push(FORWARDED_FOR, before === undefined ? remoteAddress : `${before}, ${remoteAddress}`);
  return kept;
}

/** Returns the headers of a proxied answer, as names and values in turn: without those of the connection. */
export function responseHeaders(raw: readonly (Buffer | string)[]): string[] {
  const headers = raw.map((part) => (typeof part === 'string' ? part : part.toString('latin1')));
  let connection: string | undefined;
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index]?.toLowerCase() === 'connection') connection = headers[index + 1];
  }
  return withoutHopByHop(headers, connection);
}

/** Writes the head of a message from its first line and its headers, as names and values in turn. */
export function headText(firstLine: string, rawHeaders: readonly string[]): string {
  let head = `${firstLine}\r\n`;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    head += `${rawHeaders[index]}: ${rawHeaders[index + 1]}\r\n`;
  }
  return `${head}\r\n`;
}

function withoutHopByHop(raw: readonly string[], connection: string | undefined): string[] {
  const named = connection?.toLowerCase().split(',') ?? [];
  // Almost every message names only known ones.
  const others = named.map((name) => name.trim()).filter((name) => !IGNORED.has(name));
  const kept: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] as string;
    const lowerCase = name.toLowerCase();
    if (HOP_BY_HOP.has(lowerCase) || others.includes(lowerCase)) continue;
    kept.push(name, raw[index + 1] as string);
  }
  return kept;
}

function without(raw: readonly string[], unwanted: string): string[] {
  return raw.filter((_, index) => raw[index - (index % 2)]?.toLowerCase() !== unwanted);
}
