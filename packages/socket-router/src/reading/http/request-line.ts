import type { HeadRefusalReason } from './head-state.ts';

// Not imported: docs/discoveries/what-an-import-of-node-http-loads.md
const { METHODS } = process.getBuiltinModule('node:http');

export interface RequestLine {
  readonly method: string;
  readonly target: string;
  readonly version: '1.0' | '1.1';
}

const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS);
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Visible ASCII; no `#`, since a fragment is no part of a target. */
const PATH = /^\/[!"$-~]*$/;
const ABSOLUTE = /^https?:\/\/([^/?]+)(?:[/?][!"$-~]*)?$/i;
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

/** The host and port that a target names, in lower case; undefined for a path. */
export function authorityOf(target: string): string | undefined {
  return ABSOLUTE.exec(target)?.[1]?.toLowerCase();
}

/** The four forms of RFC 9112 3.2, each only where it may stand. */
function isTarget(method: string, target: string): boolean {
  if (method === 'CONNECT') return AUTHORITY.test(target) && WITH_PORT.test(target);
  if (target === '*') return method === 'OPTIONS';
  if (PATH.test(target)) return true;
  const authority = authorityOf(target);
  return authority !== undefined && AUTHORITY.test(authority);
}
