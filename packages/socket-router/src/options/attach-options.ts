import { aFunction, milliseconds, type Rules, resolveByRules, wrongOption } from '@ticketing/kit';
import type { RouteFunction } from '../contract/head.ts';
import type { LeaveOptions } from '../contract/leave-options.ts';

/** Options of `attachServer`. */
export interface AttachOptions {
  /** The router's own function, needed with `laterRequests: 'forward'`: the worker routes later requests by it. */
  readonly route?: RouteFunction | undefined;
  /** Milliseconds for open connections when the router's process has died; then this process exits. Default 5,000. */
  readonly orphanGraceMs?: number | undefined;
}

const ATTACH_RULES: Rules = {
  route: aFunction,
  orphanGraceMs: milliseconds(0, 5000),
};

export interface ResolvedAttachOptions {
  readonly route: RouteFunction | undefined;
  readonly orphanGraceMs: number;
}

/** Checks a server and the options of `attachServer`, and fills in the defaults. @throws TypeError or RangeError */
export function resolveAttachOptions(
  server: unknown,
  options: AttachOptions,
): ResolvedAttachOptions {
  const { emit, listen, address } = Object(server) as Record<string, unknown>;
  if (![emit, listen, address].every((method) => typeof method === 'function')) {
    const got = typeof server === 'function' ? 'a function' : String(server);
    const cure = typeof server === 'function' ? '; give a listener to `http.createServer`' : '';
    throw new TypeError(`Cannot attach server: \`server\` must be a server, got ${got}${cure}`);
  }
  return resolveByRules('attach server', options, ATTACH_RULES);
}

const LEAVE_RULES: Rules = { graceMs: milliseconds(0, 8000), lameDuckMs: milliseconds(0) };

/** Default of `lameDuckMs`. */
const LAME_DUCK_MS = 2000;

/** {@link LeaveOptions}, filled. */
export interface Leave {
  readonly graceMs: number;
  readonly lameDuckMs: number;
}

/** Checks how a worker or a router leaves, and fills in the defaults. @throws TypeError or RangeError */
export function resolveLeave(action: string, options: LeaveOptions = {}): Leave {
  const { graceMs, lameDuckMs = Math.min(LAME_DUCK_MS, graceMs / 2) } = resolveByRules<
    LeaveOptions & { readonly graceMs: number }
  >(action, options, LEAVE_RULES);
  if (lameDuckMs > graceMs) {
    const expected = `0 to \`graceMs\` (${graceMs})`;
    throw wrongOption(action, 'lameDuckMs', { expected, range: true }, lameDuckMs);
  }
  return { graceMs, lameDuckMs };
}
