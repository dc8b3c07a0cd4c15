import { NONE, percent } from './amounts.ts';

/** Faults by their kinds. */
const FAULTS: Readonly<Record<string, string>> = {
  hang: 'hangs',
  error: 'fails',
  drip: 'drips',
  truncated: 'breaks off',
  'malformed-price': 'wrong price',
  'rate-limited': 'refuses',
  throttled: 'throttles',
};

/** Returns the fault of a carrier's plan in words; `undefined` if it has none. */
export function faultOf(plan: unknown): string | undefined {
  const { fault } = Object(plan) as { fault?: { kind: string; share: number } | null };
  if (fault === undefined || fault === null) return undefined;
  const word = FAULTS[fault.kind] ?? fault.kind;
  return fault.share === 1 ? word : `${word}, ${percent(fault.share)}`;
}

/** Returns the latency of a carrier's plan in words. */
export function latencyOf(plan: unknown): string {
  const { latency } = Object(plan) as {
    latency?: { kind: string; ms?: number; p50Ms?: number; p99Ms?: number };
  };
  if (latency === undefined) return NONE;
  if (latency.kind === 'fixed') return `${latency.ms} ms`;
  return latency.kind === 'random' ? '0-999 ms' : `${latency.p50Ms}:${latency.p99Ms} ms`;
}
