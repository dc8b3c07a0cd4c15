import { isFraming, namesIn } from './connection-options.ts';
import type { HeadFields } from './head-fields.ts';
import type { BodyFraming, HeadRefusalReason } from './head-state.ts';

// Not imported: docs/discoveries/what-an-import-of-node-http-loads.md
const { METHODS } = process.getBuiltinModule('node:http');

export interface RequestLine {
  readonly method: string;
  readonly target: string;
  readonly version: '1.0' | '1.1';
}

const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS);
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Path of visible ASCII; no `#`, because a fragment is no part of a target. */
const PATH = /^\/[!"$-~]*$/;
const ABSOLUTE = /^(https?):\/\/([^/?]+)(?:[/?][!"$-~]*)?$/i;
const AUTHORITY = /^(?:\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(?::[0-9]{1,5})?$/;
const WITH_PORT = /:[0-9]{1,5}$/;

/** Reads `method SP target SP HTTP/1.x`, one space each, RFC 9112 3. */
export function parseRequestLine(line: string): RequestLine | HeadRefusalReason {
  const first = line.indexOf(' ');
  const last = line.lastIndexOf(' ');
  const method = first === -1 ? line : line.slice(0, first);
  if (method === 'PROXY') return 'proxy-line';
  if (!TOKEN.test(method)) return 'method';
  if (first === last) return 'request-line';
  const protocol = line.slice(last + 1);
  if (protocol !== 'HTTP/1.1' && protocol !== 'HTTP/1.0') return 'version';
  const target = line.slice(first + 1, last);
  if (!isTarget(method, target)) return 'target';
  if (!KNOWN_METHODS.has(method)) return 'method-unknown';
  return { method, target, version: protocol === 'HTTP/1.1' ? '1.1' : '1.0' };
}

/** Ends of an authority that its scheme implies, RFC 9110 4.2.3. */
const DEFAULT_PORTS = { http: /:(?:80)?$/, https: /:(?:443)?$/ };

/** Returns whether a target names no host, or names the same host and port as `Host`. */
function isHostOf(target: string, host: string): boolean {
  const [, scheme = '', authority] = ABSOLUTE.exec(target) ?? [];
  if (authority === undefined) return true;
  const defaultPort = DEFAULT_PORTS[scheme.toLowerCase() as 'http' | 'https'];
  const normal = (text: string): string => text.toLowerCase().replace(defaultPort, '');
  return normal(authority) === normal(host);
}

/** Checks the four forms of RFC 9112 3.2, each with the methods that may have it. */
function isTarget(method: string, target: string): boolean {
  if (method === 'CONNECT') return AUTHORITY.test(target) && WITH_PORT.test(target);
  if (target === '*') return method === 'OPTIONS';
  if (PATH.test(target)) return true;
  const authority = ABSOLUTE.exec(target)?.[2];
  return authority !== undefined && AUTHORITY.test(authority);
}

/** Host and port, RFC 3986 3.2, without a user and without a comma, which would join two hosts. */
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._~%!$&'()*+;=-]*)(?::[0-9]{0,5})?$/;
/** Spaces but no tabs: some versions of Node refuse a tab after a length or a coding. */
const LENGTH = /^ *[0-9]+ *$/;
const ONE_CHUNKED = /^ *chunked *$/i;
const NO_BODY: BodyFraming = { kind: 'length', bytes: 0 };
const CHUNKED: BodyFraming = { kind: 'chunked' };

/** Requires one Host, or none in HTTP/1.0, RFC 9112 3.2; with an absolute target it must be the target's. */
export function wrongHost(
  bytes: Buffer,
  fields: HeadFields,
  { target, version }: RequestLine,
): HeadRefusalReason | undefined {
  const [host, ...more] = fields.valuesOf(bytes, 'host');
  if (more.length > 0) return 'host-repeated';
  if (host === undefined) return version === '1.1' ? 'host-missing' : undefined;
  if (!HOST.test(host)) return 'host';
  // A router that reads Host and a server that reads the target must see the same host.
  return isHostOf(target, host) ? undefined : 'host';
}

/**
 * Returns how the body ends, RFC 9112 6. Refuses where readers may disagree: two lengths, even equal ones, as Node does;
 * a length with chunks; codings other than `chunked`; chunks in HTTP/1.0.
 */
export function framingOf(
  bytes: Buffer,
  fields: HeadFields,
  { method, version }: RequestLine,
): BodyFraming | HeadRefusalReason {
  const lengths = fields.untrimmedOf(bytes, 'content-length');
  const codings = fields.untrimmedOf(bytes, 'transfer-encoding');
  if (lengths.length === 0 && codings.length === 0) return NO_BODY;
  if (lengths.length > 0 && codings.length > 0) return 'content-length-with-transfer-encoding';
  if (method === 'CONNECT') return 'connect-with-body';
  return codings.length > 0 ? chunksOf(codings, version) : lengthOf(lengths);
}

function chunksOf(codings: readonly string[], version: string): BodyFraming | HeadRefusalReason {
  if (codings.length === 1 && ONE_CHUNKED.test(codings[0] as string)) {
    return version === '1.1' ? CHUNKED : 'transfer-encoding';
  }
  const isKnown = (name: string) => name === '' || name === 'chunked';
  return namesIn(codings).every(isKnown) ? 'transfer-encoding' : 'transfer-encoding-unknown';
}

function lengthOf(lengths: readonly string[]): BodyFraming | HeadRefusalReason {
  if (lengths.length > 1) return 'content-length-repeated';
  const text = lengths[0] as string;
  const bytes = Number(text);
  if (!LENGTH.test(text) || !Number.isSafeInteger(bytes)) return 'content-length';
  return { kind: 'length', bytes };
}

/** Returns the fields that list options of the connection. As in Node's parser `Proxy-Connection` counts as `Connection`. */
export function connectionOf(bytes: Buffer, fields: HeadFields): readonly string[] {
  const options = fields.untrimmedOf(bytes, 'connection');
  const others = fields.untrimmedOf(bytes, 'proxy-connection');
  return others.length === 0 ? options : [...options, ...others];
}

/**
 * Refuses a `Connection` that names a field which ends the body or names the host: a proxy removes the fields that it
 * names, RFC 9110 7.6.1, and the next reader would take the body for another request.
 */
export function wrongConnection(options: readonly string[]): HeadRefusalReason | undefined {
  return namesIn(options).some(isFraming) ? 'connection-field' : undefined;
}

/**
 * Returns whether the client asks for another protocol, RFC 9110 7.8 and 9.3.6. As in Node's parser an empty `Upgrade`
 * asks for none.
 */
export function upgradeOf(
  bytes: Buffer,
  fields: HeadFields,
  method: string,
  options: readonly string[],
): boolean | HeadRefusalReason {
  if (method === 'CONNECT') return true;
  if (!fields.valuesOf(bytes, 'upgrade').some((value) => value !== '')) return false;
  if (!namesIn(options).includes('upgrade')) return false;
  // Node 20 ignores `upgrade` with a tab beside it; later versions take it.
  return options.some((value) => value.includes('\t')) ? 'connection' : true;
}
