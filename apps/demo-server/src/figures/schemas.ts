import type { CarrierState } from '@ticketing/core';
import { type Static, Type } from 'typebox';

/** Every state in which a carrier ends. */
export const SETTLED_STATES = [
  'ok',
  'empty',
  'timeout',
  'error',
  'cancelled',
  'rejected-busy',
  'rate-limited',
  'circuit-open',
] as const satisfies readonly Exclude<CarrierState, 'running'>[];

export const text = Type.String();
export const count = Type.Integer({ minimum: 0 });
export const number = Type.Number();

/** Returns the schema of a whole number that needs a word. */
export function integer(description: string) {
  return Type.Integer({ description });
}

/** Returns schemas of counts by their names. */
export function counts<Name extends string>(...names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, count])) as Record<Name, typeof count>;
}

export const WORKER_STATES = ['starting', 'ready', 'retiring', 'stopping'] as const;
export const ProcessState = Type.Enum([...WORKER_STATES, 'silent'], {
  description: 'silent: it did not report within a second',
});

/** Counts of values up to each bound, one more for those above all. Not cumulative. */
export const Buckets = Type.Object(
  {
    leMs: Type.Array(number, { description: 'Upper bounds in milliseconds' }),
    counts: Type.Array(count, { description: 'Values within each bound; the last: above all' }),
    sumMs: number,
  },
  { $id: 'Buckets' },
);
export type BucketCounts = Static<typeof Buckets>;

export const Times = Type.Object(
  { ...counts('count'), mean: number, p50: number, p90: number, p99: number, max: number },
  { $id: 'Times', description: 'Milliseconds since the start; quantiles within 7 %' },
);
