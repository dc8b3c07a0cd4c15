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

/** How long a carrier takes before it answers a call. */
export type Latency =
  /** Always `ms` milliseconds (0-600,000). */
  | { readonly kind: 'fixed'; readonly ms: number }
  /** 0-999 ms, each as likely. */
  | { readonly kind: 'random' }
  /** Log-normal: half of the calls within `p50Ms`, 99 of 100 within `p99Ms` (milliseconds), none above 600,000. */
  | { readonly kind: 'lognormal'; readonly p50Ms: number; readonly p99Ms: number };

/** What fails, in a `share` (0-1) of the calls that it can strike. */
export type Fault =
  | {
      readonly kind: 'hang' | 'error' | 'error-drip' | 'drip' | 'truncated' | 'malformed-price';
      readonly share: number;
    }
  | {
      readonly kind: 'rate-limited' | 'throttled';
      readonly share: number;
      /** Whole seconds of `Retry-After` (0-86,400), where the wire has that header. */
      readonly retryAfterSeconds: number;
    };

/** The name of a fault. */
export type FaultKind = Fault['kind'];

/** Every {@link FaultKind}. */
export const faultKinds: readonly FaultKind[] = [
  'hang',
  'error',
  'error-drip',
  'rate-limited',
  'drip',
  'truncated',
  'malformed-price',
  'throttled',
];

/** How one carrier behaves. */
export interface Plan {
  readonly latency: Latency;
  /** `null`: nothing fails. */
  readonly fault: Fault | null;
  /**
   * How many trains the carrier lists for a pair that it serves (0-1000); `null`: those of its timetable. Always `null`
   * for a carrier of your own.
   */
  readonly journeys: number | null;
}

/** The fields of a {@link Plan} to change; absent ones keep their value. */
export interface PlanPatch {
  readonly latency?: Latency | undefined;
  /** `share` and `retryAfterSeconds` are 1 by default. */
  readonly fault?:
    | {
        readonly kind: FaultKind;
        readonly share?: number | undefined;
        readonly retryAfterSeconds?: number | undefined;
      }
    | null
    | undefined;
  readonly journeys?: number | null | undefined;
}

/** The plan of a carrier at first: each call takes 50 ms and nothing fails. */
export const defaultPlan: Plan = {
  latency: { kind: 'fixed', ms: 50 },
  fault: null,
  journeys: null,
};

const orNull = (rule: Rule): Rule => ({
  ...rule,
  expected: `null or ${rule.expected}`,
  test: (value) => value === null || rule.test(value),
});

const planRules = { latency: anObject, fault: orNull(anObject), journeys: orNull(aCount) };

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

const aFault = oneOf(...faultKinds);
const faultRules = { kind: aFault, share: between(0, 1, 1) };
const retryRules = { ...faultRules, retryAfterSeconds: wholeBetween(0, 86_400, 1) };

/**
 * Returns a plan with a patch applied; fields that are absent or `undefined` keep their value.
 *
 * @throws TypeError for an unknown field or kind or a value of the wrong type, RangeError for one out of range
 */
export function resolvePlan(carrier: string, plan: Plan, patch: unknown): Plan {
  const action = `set plan of \`${carrier}\``;
  const { latency, fault, journeys } = checkByRules(action, patch, planRules, 'plan');
  return {
    latency: latency === undefined ? plan.latency : resolveLatency(action, latency),
    fault: fault === undefined ? plan.fault : resolveFault(action, fault),
    journeys: journeys === undefined ? plan.journeys : (journeys as Plan['journeys']),
  };
}

/**
 * Returns the same for a carrier of the user's own, whose trains and prices the simulator does not know.
 *
 * @throws TypeError for what needs them
 */
export function resolveOwnPlan(carrier: string, before: Plan, patch: unknown): Plan {
  const plan = resolvePlan(carrier, before, patch);
  const needsTrains =
    plan.fault?.kind === 'malformed-price'
      ? '`plan.fault.kind` malformed-price'
      : plan.journeys !== null && '`plan.journeys`';
  if (!needsTrains) return plan;
  throw new TypeError(
    `Cannot set plan of \`${carrier}\`: ${needsTrains} is for carriers of the simulator alone; let \`carriers.${carrier}\` answer so`,
  );
}

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

function resolveFault(action: string, options: unknown): Fault | null {
  if (options === null) return null;
  const name = 'plan.fault';
  const { kind } = options as Fault;
  if (!aFault.test(kind)) throw wrongOption(action, `${name}.kind`, aFault, kind);
  const isRetried = kind === 'rate-limited' || kind === 'throttled';
  return resolveByRules(action, options, isRetried ? retryRules : faultRules, name);
}
