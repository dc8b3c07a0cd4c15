import { aFlag, type Clock, type Rule, resolveByRules } from '@ticketing/kit';
import type { CoalescerOptions } from '../coalescer/coalescer.ts';
import { lowerCaseNames, someHeaderNames } from './header-names.ts';

/** Options of `coalesceRoutes`. */
export interface CoalesceRoutesOptions {
  /** Names the coalescer in errors, statistics and diagnostics. Default `routes`. */
  readonly name?: string;
  /** Request headers that are part of every key, besides those that always are. Default: none. */
  readonly vary?: readonly string[];
  /** Adds `x-coalesced: 1` to an answer that another request's handler made. Default `false`. */
  readonly header?: boolean;
  /** Different requests in flight at most. Default 10,000. */
  readonly maxKeys?: number;
  /** Equal requests in flight at most. Default 100,000. */
  readonly maxWaitersPerKey?: number;
  /** What happens to a request above a bound: 503, or a run of the handler that no request joins. Default `reject`. */
  readonly overflow?: 'reject' | 'bypass';
  /** Milliseconds a handler may take, 1 to 2^31-1; then 504 to all that wait. Default: no limit. */
  readonly loadTimeoutMs?: number;
  /** Default: the platform's. */
  readonly clock?: Clock;
}

type Bound = 'name' | 'maxKeys' | 'maxWaitersPerKey' | 'overflow' | 'loadTimeoutMs' | 'clock';

export interface ResolvedCoalesceRoutesOptions {
  readonly vary: readonly string[];
  readonly header: boolean;
  /** Checked by the coalescer that is made of them. */
  readonly coalescer: Pick<CoalescerOptions<string, unknown>, Bound>;
}

const ACTION = 'register coalesceRoutes';
const ofCoalescer: Rule = { expected: 'as of createCoalescer', test: () => true };
const rules = {
  vary: someHeaderNames,
  header: { ...aFlag, fallback: false },
  name: { ...ofCoalescer, fallback: 'routes' },
  maxKeys: ofCoalescer,
  maxWaitersPerKey: ofCoalescer,
  overflow: ofCoalescer,
  loadTimeoutMs: ofCoalescer,
  clock: ofCoalescer,
} satisfies Record<keyof CoalesceRoutesOptions, Rule>;

/**
 * Fills and checks the options of the plugin.
 *
 * @throws TypeError for a value of the wrong type or an unknown option
 */
export function resolveCoalesceRoutesOptions(
  options: CoalesceRoutesOptions,
): ResolvedCoalesceRoutesOptions {
  const { vary, header, ...coalescer } = resolveByRules<
    Omit<ResolvedCoalesceRoutesOptions, 'coalescer'> & ResolvedCoalesceRoutesOptions['coalescer']
  >(ACTION, options, rules);
  return { vary: lowerCaseNames(vary), header, coalescer };
}
