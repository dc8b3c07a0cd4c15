import { aFunction, milliseconds, oneOf, type Rules, resolveByRules } from '@ticketing/kit';
import type { RouteFunction } from '../contract/head.ts';

/** Options of `attachServer`. */
export interface AttachOptions {
  /** The router's own function, needed with `laterRequests: 'forward'`: the worker routes later requests by it. */
  readonly route?: RouteFunction;
  /**
   * What the process does when its router's process has died: `exit` (default), after at most `orphanGraceMs` for
   * open connections, or `stay`.
   */
  readonly orphan?: 'exit' | 'stay';
  /** Milliseconds: default 5,000. */
  readonly orphanGraceMs?: number;
}

/** How a worker leaves. */
export interface LeaveOptions {
  /** Milliseconds after which open connections are cut off: default 10,000. */
  readonly graceMs?: number;
  /**
   * Milliseconds for which an idle connection may send one more request, whose answer closes it: default 100, half of
   * `graceMs` at most. A request that is on its way when the idle connection closes is lost: allow as long as your
   * clients pause between two requests.
   */
  readonly lameDuckMs?: number;
}

const ATTACH_RULES: Rules = {
  route: aFunction,
  orphan: oneOf('exit', 'stay'),
  orphanGraceMs: milliseconds(0, 5000),
};

export interface ResolvedAttachOptions extends Required<Omit<AttachOptions, 'route'>> {
  readonly route: RouteFunction | undefined;
}

/** Checks a server and the options of `attachServer`, and fills in the defaults. @throws TypeError or RangeError */
export function resolveAttachOptions(
  server: unknown,
  options: AttachOptions,
): ResolvedAttachOptions {
  const { emit, listen, address } = Object(server) as Record<string, unknown>;
  if (![emit, listen, address].every((method) => typeof method === 'function')) {
    throw new TypeError(`Cannot attach server: \`server\` must be a server, got ${String(server)}`);
  }
  return resolveByRules('attach server', options, ATTACH_RULES);
}

const GRACE_RULES: Rules = { graceMs: milliseconds(0, 10_000) };
const LEAVE_RULES: Rules = { ...GRACE_RULES, lameDuckMs: milliseconds(0, 100) };

/** Checks how a worker leaves, and fills in the defaults. @throws TypeError or RangeError */
export function resolveLeave(options: LeaveOptions = {}): Required<LeaveOptions> {
  return resolveByRules('close worker', options, LEAVE_RULES);
}

/** Returns the milliseconds that a router's `close` leaves for open connections. @throws TypeError or RangeError */
export function resolveGrace(options: { readonly graceMs?: number } = {}): number {
  return resolveByRules<{ graceMs: number }>('close router', options, GRACE_RULES).graceMs;
}
