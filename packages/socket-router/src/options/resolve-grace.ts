import type { LeaveOptions } from '../contract/worker-handle.ts';
import { milliseconds, resolveByRules } from './option-rules.ts';

const RULES = { graceMs: milliseconds(0, 10_000) };

const LEAVE_RULES = { ...RULES, lameDuckMs: milliseconds(0, 100) };

/** Fills and checks how a worker leaves. @throws TypeError or RangeError */
export function resolveLeave(options: LeaveOptions = {}): Required<LeaveOptions> {
  return resolveByRules('close worker', options, LEAVE_RULES);
}

/** Gives the milliseconds that a `close` leaves for open connections. @throws TypeError or RangeError */
export function resolveGrace(action: string, options: { readonly graceMs?: number } = {}): number {
  return resolveByRules<{ graceMs: number }>(action, options, RULES).graceMs;
}
