import {
  anObject,
  between,
  checkByRules,
  oneOf,
  type Rule,
  type Rules,
  required,
  resolveByRules,
  wholeBetween,
  wrongOption,
} from '@ticketing/kit';
import { aCount } from '../timetable/timetable.ts';
import type { PlanTraits } from '../wires/wires.ts';
import { type Capacity, resolveCapacity } from './capacity.ts';
import { type Fault, type FaultPatch, resolveFault } from './fault.ts';

/** Time that a carrier takes before it answers a call. */
export type Latency =
  /** Delay of always `ms` milliseconds (0-600,000). */
  | { readonly kind: 'fixed'; readonly ms: number }
  /** 0-999 ms, each as likely. */
  | { readonly kind: 'random' }
  /** Log-normal: half of the calls within `p50Ms`, 99 of 100 within `p99Ms` (milliseconds), none above 600,000. */
  | { readonly kind: 'lognormal'; readonly p50Ms: number; readonly p99Ms: number };

/** Behaviour of one carrier. */
export interface Plan {
  readonly latency: Latency;
  /** `null`: nothing fails. */
  readonly fault: Fault | null;
  /**
   * Number of trains that the carrier lists for a pair that it serves (0-1000); `null`: as in its timetable. Always `null`
   * for a carrier of your own.
   */
  readonly journeys: number | null;
  /** `null`: every call is served at once. */
  readonly capacity: Capacity | null;
  /**
   * The most journeys of one page (1-1000), of a carrier that answers in pages; `null`: as many as a request wants. Always `null` for
   * others.
   */
  readonly pageSize: number | null;
}

/** The fields of a {@link Plan} to change; absent ones keep their value. */
export interface PlanPatch {
  readonly latency?: Latency | undefined;
  readonly fault?: FaultPatch | null | undefined;
  readonly journeys?: number | null | undefined;
  /** `queue` and `slowdown` are 0 by default. */
  readonly capacity?:
    | (Pick<Capacity, 'concurrent'> & {
        readonly [Field in 'queue' | 'slowdown']?: Capacity[Field] | undefined;
      })
    | null
    | undefined;
  readonly pageSize?: number | null | undefined;
}

/** The plan of a carrier at first: each call takes 50 ms and nothing fails. */
export const defaultPlan: Plan = {
  latency: { kind: 'fixed', ms: 50 },
  fault: null,
  journeys: null,
  capacity: null,
  pageSize: null,
};

const orNull = (rule: Rule): Rule => ({
  ...rule,
  expected: `null or ${rule.expected}`,
  test: (value) => value === null || rule.test(value),
});

const planRules = {
  latency: anObject,
  fault: orNull(anObject),
  journeys: orNull(aCount),
  capacity: orNull(anObject),
  pageSize: orNull(wholeBetween(1, 1000)),
};

const LONGEST_MS = 600_000;
const aLatency = oneOf('fixed', 'random', 'lognormal');
const latencyRules: Readonly<Record<Latency['kind'], Rules>> = {
  fixed: { kind: aLatency, ms: required(between(0, LONGEST_MS)) },
  random: { kind: aLatency },
  lognormal: {
    kind: aLatency,
    p50Ms: required(between(1, LONGEST_MS)),
    p99Ms: required(between(1, LONGEST_MS)),
  },
};

/**
 * Returns a plan with a patch applied; fields that are absent or `undefined` keep their value.
 *
 * @throws TypeError for an unknown field or kind, a value of the wrong type, or what the carrier does not have; RangeError for one
 *   out of range
 */
export function resolvePlan(carrier: string, traits: PlanTraits, plan: Plan, patch: unknown): Plan {
  const action = `set plan of \`${carrier}\``;
  const { latency, fault, journeys, capacity, pageSize } = checkByRules(
    action,
    patch,
    planRules,
    'plan',
  );
  const resolved: Plan = {
    latency: latency === undefined ? plan.latency : resolveLatency(action, latency),
    fault: fault === undefined ? plan.fault : resolveFault(action, traits, fault),
    journeys: journeys === undefined ? plan.journeys : (journeys as Plan['journeys']),
    capacity: capacity === undefined ? plan.capacity : resolveCapacity(action, capacity),
    pageSize: pageSize === undefined ? plan.pageSize : (pageSize as Plan['pageSize']),
  };
  const asks = {
    hasPrices: resolved.fault?.kind === 'malformed-price' && '`plan.fault.kind` malformed-price',
    hasTrains: resolved.journeys !== null && '`plan.journeys`',
    hasPages: resolved.pageSize !== null && '`plan.pageSize`',
  };
  for (const [trait, what] of Object.entries(asks)) {
    if (what && !traits[trait as keyof typeof asks]) {
      throw new TypeError(`Cannot ${action}: ${what} is for ${whose(carrier, traits, trait)}`);
    }
  }
  return resolved;
}

function whose(carrier: string, { hasTrains }: PlanTraits, trait: string): string {
  if (!hasTrains) return `carriers of the simulator alone; let \`carriers.${carrier}\` answer so`;
  return trait === 'hasPrices' ? 'carriers with prices' : 'carriers that answer in pages';
}

/** Plans of a carrier of the user's own, whose trains and prices the simulator does not know. */
export const ownTraits: PlanTraits = {
  faults: {},
  hasTrains: false,
  hasPrices: false,
  hasPages: false,
};

function resolveLatency(action: string, options: unknown): Latency {
  const name = 'plan.latency';
  const { kind } = options as Latency;
  if (!aLatency.test(kind)) throw wrongOption(action, `${name}.kind`, aLatency, kind);
  const latency = resolveByRules<Latency>(action, options, latencyRules[kind], name);
  if (latency.kind !== 'lognormal') return latency;
  const fromP50 = between(latency.p50Ms, LONGEST_MS);
  if (fromP50.test(latency.p99Ms)) return latency;
  throw wrongOption(action, `${name}.p99Ms`, fromP50, latency.p99Ms);
}
