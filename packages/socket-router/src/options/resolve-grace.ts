import { milliseconds, resolveByRules } from './option-rules.ts';

const RULES = { graceMs: milliseconds(0, 10_000) };

/** Gives the milliseconds that a `close` leaves for open connections. @throws TypeError or RangeError */
export function resolveGrace(action: string, options: { readonly graceMs?: number } = {}): number {
  return resolveByRules<{ graceMs: number }>(action, options, RULES).graceMs;
}
