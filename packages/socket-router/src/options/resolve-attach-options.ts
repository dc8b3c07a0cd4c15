import { aFunction, milliseconds, oneOf, type Rules, resolveByRules } from '@ticketing/kit';
import type { RouteFunction } from '../contract/head.ts';
import type { AttachOptions, LeaveOptions } from '../contract/worker-handle.ts';
import { isServer } from '../worker/attachable-server.ts';

const ACTION = 'attach worker';

const ATTACH_RULES: Rules = {
  route: aFunction,
  orphan: oneOf('exit', 'stay'),
  orphanGraceMs: milliseconds(0, 5000),
};

export interface ResolvedAttachOptions {
  readonly route: RouteFunction | undefined;
  readonly orphan: 'exit' | 'stay';
  readonly orphanGraceMs: number;
}

/**
 * Fills and checks what `attachWorker` takes.
 *
 * @throws TypeError or RangeError
 */
export function resolveAttachOptions(
  server: unknown,
  options: AttachOptions,
): ResolvedAttachOptions {
  if (!isServer(server)) {
    throw new TypeError(`Cannot ${ACTION}: server must be a server, got ${String(server)}`);
  }
  return resolveByRules(ACTION, options, ATTACH_RULES);
}

const GRACE_RULES = { graceMs: milliseconds(0, 10_000) };
const LEAVE_RULES = { ...GRACE_RULES, lameDuckMs: milliseconds(0, 100) };

/** Fills and checks how a worker leaves. @throws TypeError or RangeError */
export function resolveLeave(options: LeaveOptions = {}): Required<LeaveOptions> {
  return resolveByRules('close worker', options, LEAVE_RULES);
}

/** Gives the milliseconds that a `close` leaves for open connections. @throws TypeError or RangeError */
export function resolveGrace(action: string, options: { readonly graceMs?: number } = {}): number {
  return resolveByRules<{ graceMs: number }>(action, options, GRACE_RULES).graceMs;
}
