import { createExpectation, type Expectation } from '../expectation.ts';
import { type CarrierSimId, carrierSimIds, perCarrier } from '../timetable/lines.ts';
import type { Credentials } from '../wire.ts';
import { defaultPlan, type Plan, type PlanPatch } from './plan.ts';
import { resolvePlan } from './resolve-plan.ts';
import { resolveSeed } from './resolve-seed.ts';

/** How to start the simulator. */
export interface CarrierSimOptions {
  /** Decides the timetable, the faults and the latencies. Default 1. */
  readonly seed?: number | string;
  /** How the carriers behave at first. Default: 50 ms a call, no faults. */
  readonly plan?: Partial<Record<CarrierSimId, PlanPatch>>;
  /** The address to listen on. Default `127.0.0.1`. */
  readonly host?: string;
  /** The port to listen on (0-65,535); 0 takes any free one. Default 0. */
  readonly port?: number;
  /** The time in epoch milliseconds; decides which dates are on sale and when tokens expire. Default `Date.now`. */
  readonly now?: () => number;
  /** What Ouigo's login accepts. Default: whatever is not empty. */
  readonly credentials?: Credentials | undefined;
}

/** {@link CarrierSimOptions} with every default filled in. */
export interface ResolvedCarrierSimOptions {
  readonly seed: string;
  readonly plan: Readonly<Record<CarrierSimId, Plan>>;
  readonly host: string;
  readonly port: number;
  readonly now: () => number;
  readonly credentials: Credentials | undefined;
}

/**
 * Fills in the defaults and checks every value.
 *
 * @throws TypeError when an option is unknown or has the wrong type.
 * @throws RangeError when a value is out of range.
 */
export function resolveCarrierSimOptions(options: CarrierSimOptions): ResolvedCarrierSimOptions {
  const doing = createExpectation('start carrier simulator');
  const keys = ['seed', 'plan', 'host', 'port', 'now', 'credentials'];
  doing.object(options, { name: 'options', keys });
  const { seed = 1, plan = {}, host = '127.0.0.1', port = 0, now = Date.now } = options;
  if (typeof now !== 'function') doing.fail('now to be a function', now);
  const patches = doing.object(plan, { name: 'plan', keys: carrierSimIds });
  const planOf = (carrier: CarrierSimId): Plan =>
    resolvePlan({ carrier, plan: defaultPlan, patch: patches[carrier] ?? {} });
  return {
    seed: resolveSeed(seed, doing),
    plan: perCarrier(planOf),
    host: doing.text(host, 'host'),
    port: doing.number(port, { name: 'port', min: 0, max: 65_535, whole: true }),
    now,
    credentials: resolveCredentials(options.credentials, doing),
  };
}

function resolveCredentials(value: unknown, expect: Expectation): Credentials | undefined {
  if (value === undefined) return undefined;
  const keys = ['username', 'password'];
  const { username, password } = expect.object(value, { name: 'credentials', keys });
  return {
    username: expect.text(username, 'credentials.username'),
    password: expect.text(password, 'credentials.password'),
  };
}
