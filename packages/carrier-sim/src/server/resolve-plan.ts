import { createExpectation, type Expectation } from '../expectation.ts';
import type { CarrierSimId } from '../timetable/lines.ts';
import { type Fault, faultKinds, type Latency, type Plan } from './plan.ts';

/** What an untyped patch changes, and on which plan. */
export interface PlanChange {
  readonly carrier: CarrierSimId;
  readonly plan: Plan;
  readonly patch: unknown;
}

/**
 * Lays a patch over a plan; fields that are absent or `undefined` keep their value.
 *
 * @throws TypeError when a field is unknown or has the wrong type.
 * @throws RangeError when a value is out of range.
 */
export function resolvePlan({ carrier, plan, patch }: PlanChange): Plan {
  const expect = createExpectation(`set plan of ${carrier}`);
  const keys = ['latency', 'fault', 'journeys'];
  const { latency, fault, journeys } = expect.object(patch, { name: 'plan', keys });
  return {
    latency: latency === undefined ? plan.latency : resolveLatency(latency, expect),
    fault: fault === undefined ? plan.fault : resolveFault(fault, expect),
    journeys: journeys === undefined ? plan.journeys : resolveJourneys(journeys, expect),
  };
}

function resolveLatency(value: unknown, expect: Expectation): Latency {
  const known = ['fixed', 'random', 'lognormal'] as const;
  const anyKeys = ['kind', 'ms', 'p50Ms', 'p99Ms'];
  const { kind: given } = expect.object(value, { name: 'latency', keys: anyKeys });
  const kind = expect.oneOf(given, { name: 'latency.kind', known });
  if (kind === 'random') {
    expect.object(value, { name: 'random latency', keys: ['kind'] });
    return { kind };
  }
  if (kind === 'fixed') {
    const { ms } = expect.object(value, { name: 'fixed latency', keys: ['kind', 'ms'] });
    return { kind, ms: expect.number(ms, { name: 'latency.ms', min: 0, max: 600_000 }) };
  }
  const keys = ['kind', 'p50Ms', 'p99Ms'];
  const times = expect.object(value, { name: 'lognormal latency', keys });
  const max = 600_000;
  const p50Ms = expect.number(times['p50Ms'], { name: 'latency.p50Ms', min: 1, max });
  const p99Ms = expect.number(times['p99Ms'], { name: 'latency.p99Ms', min: p50Ms, max });
  return { kind, p50Ms, p99Ms };
}

function resolveJourneys(value: unknown, expect: Expectation): number | null {
  if (value === null) return null;
  return expect.number(value, { name: 'journeys', min: 0, max: 1000, whole: true });
}

function resolveFault(value: unknown, expect: Expectation): Fault | null {
  if (value === null) return null;
  const anyKeys = ['kind', 'share', 'retryAfterSeconds'];
  const {
    kind: givenKind,
    share: givenShare = 1,
    retryAfterSeconds: givenSeconds = 1,
  } = expect.object(value, { name: 'fault', keys: anyKeys });
  const kind = expect.oneOf(givenKind, { name: 'fault.kind', known: faultKinds });
  const share = expect.number(givenShare, { name: 'fault.share', min: 0, max: 1 });
  if (kind !== 'rate-limited' && kind !== 'throttled') {
    expect.object(value, { name: `fault ${kind}`, keys: ['kind', 'share'] });
    return { kind, share };
  }
  const retryAfterSeconds = expect.number(givenSeconds, {
    name: 'fault.retryAfterSeconds',
    min: 0,
    max: 86_400,
    whole: true,
  });
  return { kind, share, retryAfterSeconds };
}
