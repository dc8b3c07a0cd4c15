import {
  aFunction,
  aName,
  anObject,
  checkByRules,
  required,
  resolveByRules,
  wholeBetween,
} from '@ticketing/kit';
import { type CarrierSimId, perCarrier } from '../timetable/sim-carriers.ts';
import { aSeed } from '../timetable/timetable.ts';
import type { Credentials } from '../wires/wire.ts';
import { defaultPlan, type Plan, type PlanPatch, resolvePlan } from './plan.ts';

/** How to start the simulator. */
export interface CarrierSimOptions {
  /** Decides the timetable, the faults and the latencies. Default 1. */
  readonly seed?: number | string;
  /** How the carriers behave at first. Default: 50 ms per call, no faults. */
  readonly plan?: Partial<Record<CarrierSimId, PlanPatch>>;
  /** The address to listen on. Default `127.0.0.1`. */
  readonly host?: string;
  /** The port to listen on (0-65,535); 0 takes any free one. Default 0. */
  readonly port?: number;
  /** The time in epoch milliseconds; decides which dates are on sale and when tokens expire. Default `Date.now`. */
  readonly now?: () => number;
  /** What Ouigo's login accepts. Default: any texts that are not empty. */
  readonly credentials?: Credentials | undefined;
}

/** {@link CarrierSimOptions}, filled and checked. */
interface ResolvedCarrierSimOptions extends Required<Omit<CarrierSimOptions, 'seed' | 'plan'>> {
  readonly seed: string;
  readonly plan: Readonly<Record<CarrierSimId, Plan>>;
}

const ACTION = 'start carrier simulator';
const rules = {
  seed: { ...aSeed, fallback: 1 },
  plan: { ...anObject, fallback: {} },
  host: { ...aName, fallback: '127.0.0.1' },
  port: wholeBetween(0, 65_535, 0),
  now: { ...aFunction, fallback: () => Date.now() },
  credentials: anObject,
};
const planRules = perCarrier(() => anObject);
const credentialsRules = { username: required(aName), password: required(aName) };

/**
 * Fills and checks the options.
 *
 * @throws TypeError for an unknown option or a value of the wrong type, RangeError for one out of range
 */
export function resolveCarrierSimOptions(options: CarrierSimOptions): ResolvedCarrierSimOptions {
  const resolved = resolveByRules<ResolvedCarrierSimOptions>(ACTION, options, rules);
  const { seed, credentials } = resolved;
  const patches = checkByRules(ACTION, resolved.plan, planRules, 'plan');
  if (credentials) resolveByRules(ACTION, credentials, credentialsRules, 'credentials');
  return {
    ...resolved,
    seed: String(seed),
    plan: perCarrier((carrier) => resolvePlan(carrier, defaultPlan, patches[carrier] ?? {})),
  };
}
