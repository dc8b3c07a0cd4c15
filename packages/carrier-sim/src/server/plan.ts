/** How long a carrier takes before it answers a call. */
export type Latency =
  /** Always `ms` milliseconds (0-600,000). */
  | { readonly kind: 'fixed'; readonly ms: number }
  /** 0-999 ms, each as likely. */
  | { readonly kind: 'random' }
  /** Log-normal: half of the calls within `p50Ms`, 99 of 100 within `p99Ms` (milliseconds), none above 600,000. */
  | { readonly kind: 'lognormal'; readonly p50Ms: number; readonly p99Ms: number };

/** What goes wrong, in a `share` (0-1) of the calls that it can strike. */
export type Fault =
  | {
      readonly kind: 'hang' | 'error' | 'error-drip' | 'drip' | 'truncated' | 'malformed-price';
      readonly share: number;
    }
  | {
      readonly kind: 'rate-limited' | 'throttled';
      readonly share: number;
      /** Whole seconds told in `Retry-After` (0-86,400), where the wire has that header. */
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
  /** `null`: all goes well. */
  readonly fault: Fault | null;
  /** How many trains the carrier lists for a pair that it serves (0-1000); `null`: as its timetable has. */
  readonly journeys: number | null;
}

/** The fields of a {@link Plan} to change; what is absent keeps its value. */
export interface PlanPatch {
  readonly latency?: Latency;
  /** `share` and `retryAfterSeconds` are 1 by default. */
  readonly fault?: {
    readonly kind: FaultKind;
    readonly share?: number;
    readonly retryAfterSeconds?: number;
  } | null;
  readonly journeys?: number | null;
}

/** How every carrier behaves until told otherwise: each call takes 50 ms and all goes well. */
export const defaultPlan: Plan = {
  latency: { kind: 'fixed', ms: 50 },
  fault: null,
  journeys: null,
};
