import {
  aFunction,
  aName,
  anObject,
  checkByRules,
  required,
  resolveByRules,
  wholeBetween,
} from '@ticketing/kit';
import { type CarrierSimId, carrierSimIds, isCarrier } from '../timetable/sim-carriers.ts';
import { aSeed } from '../timetable/timetable.ts';
import type { Credentials } from '../wires/wire.ts';
import { planTraitsOf } from '../wires/wires.ts';
import { type OwnCarrier, resolveOwnCarriers } from './own-carriers.ts';
import { defaultPlan, ownTraits, type Plan, type PlanPatch, resolvePlan } from './plan.ts';

/** Options of `startCarrierSim`; `Own` are the names of your own carriers. */
export interface CarrierSimOptions<Own extends string = never> {
  /** Decides the timetable, the faults and the latencies. Default 1. */
  readonly seed?: number | string | undefined;
  /**
   * Carriers of your own, by name: each answers the calls below `/<name>`, under the same plans, faults and counts.
   * Names have letters, digits, `.`, `_` and `-`; names of the simulator are taken. Default: none.
   */
  readonly carriers?: Readonly<Record<Own, OwnCarrier>> | undefined;
  /** Plans of the carriers at the start. Default: 50 ms per call, no faults. */
  readonly plan?:
    | { readonly [Name in CarrierSimId | NoInfer<Own>]?: PlanPatch | undefined }
    | undefined;
  /** The address to listen on. Default `127.0.0.1`. */
  readonly host?: string | undefined;
  /** The port to listen on (0-65,535); 0 takes any free one. Default 0. */
  readonly port?: number | undefined;
  /** The time in epoch milliseconds; decides which dates are on sale and when tokens expire. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Credentials that Ouigo's login accepts. Default: any texts that are not empty. */
  readonly credentials?: Credentials | undefined;
}

/** {@link CarrierSimOptions}, filled and checked. */
interface ResolvedCarrierSimOptions {
  readonly seed: string;
  readonly own: ReadonlyMap<string, OwnCarrier>;
  /** Plan of every carrier. */
  readonly plans: ReadonlyMap<string, Plan>;
  readonly host: string;
  readonly port: number;
  readonly now: () => number;
  readonly credentials: Credentials | undefined;
}

const ACTION = 'start carrier simulator';
const rules = {
  seed: { ...aSeed, fallback: 1 },
  carriers: { ...anObject, fallback: {} },
  plan: { ...anObject, fallback: {} },
  host: { ...aName, fallback: '127.0.0.1' },
  port: wholeBetween(0, 65_535, 0),
  now: { ...aFunction, fallback: () => Date.now() },
  credentials: anObject,
};
const credentialsRules = { username: required(aName), password: required(aName) };

/**
 * Fills and checks the options.
 *
 * @throws TypeError for an unknown option or a value of the wrong type, RangeError for one out of range
 */
export function resolveCarrierSimOptions(options: unknown): ResolvedCarrierSimOptions {
  const { seed, carriers, plan, ...rest } = resolveByRules<
    Omit<ResolvedCarrierSimOptions, 'own' | 'plans'> & {
      carriers: Record<string, unknown>;
      plan: object;
    }
  >(ACTION, options, rules);
  if (rest.credentials) resolveByRules(ACTION, rest.credentials, credentialsRules, 'credentials');
  const own = resolveOwnCarriers(ACTION, carriers);
  const names = [...carrierSimIds, ...own.keys()];
  const planRules = Object.fromEntries(names.map((name) => [name, anObject]));
  const patches = checkByRules(ACTION, plan, planRules, 'plan');
  const plans = new Map(
    names.map((name) => {
      const traits = isCarrier(name) ? planTraitsOf(name) : ownTraits;
      return [name, resolvePlan(name, traits, defaultPlan, patches[name] ?? {})];
    }),
  );
  return { ...rest, seed: String(seed), own, plans };
}
