import {
  aFunction,
  aName,
  anObject,
  aShare,
  between,
  type Filled,
  milliseconds,
  optionsOf,
  type Rule,
  type Rules,
  required,
  resolveByRules,
  wholeBetween,
} from '@ticketing/kit';
import { classifyError, type Outcome, type Verdict } from './classify.ts';

/** Upstream rate: a bucket of tokens, of which each attempt takes one. */
export interface RateOptions {
  /** Tokens per second, above 0. */
  readonly perSecond: number;
  /** Tokens of a full bucket: attempts that may be sent at once, from 1. */
  readonly burst: number;
  /** Most milliseconds that an attempt waits for its token or for the end of a pause. Default 0: it is refused at once. */
  readonly maxWaitMs?: number;
}

/** Bounds between which the limit of attempts in flight adapts. */
export interface AdaptiveLimitOptions {
  /** First limit. Default 16. */
  readonly initial?: number;
  /** Least limit, from 1. Default 2. */
  readonly min?: number;
  /** Highest limit. Default 256. */
  readonly max?: number;
}

/** Limit of attempts in flight, fixed (`limit`) or `adaptive`. */
export interface ConcurrencyOptions {
  /** Attempts in flight, from 1. */
  readonly limit?: number;
  /** Adapts the limit to the latency. */
  readonly adaptive?: AdaptiveLimitOptions;
  /** Most attempts that wait for a place, first come first served. Default 0: they are refused at once. */
  readonly maxQueued?: number;
}

export interface CircuitOptions {
  /** Outcomes that are looked at, 1 to 10,000. Default 50. */
  readonly windowCalls?: number;
  /** Milliseconds after which an outcome no longer counts. Default 60,000. */
  readonly windowMs?: number;
  /** Least outcomes that open the circuit, at most `windowCalls`. Default 10. */
  readonly minCalls?: number;
  /** Share of failures from which on it opens, above 0 and at most 1. Default 0.5. */
  readonly failureShare?: number;
  /** Milliseconds before the first probe, ± 20 %; doubled each time a probe fails. Default 5000. */
  readonly openMs?: number;
  /** Highest of the doubled milliseconds. Default 60,000. */
  readonly maxOpenMs?: number;
  /** Probes that must succeed in a row, one at a time, before the circuit closes. Default 3. */
  readonly probes?: number;
}

/** Bound on retries and hedges together. */
export interface RetryBudgetOptions {
  /** Share of a retry that each first attempt pays in, 0 to 1. Default 0.2. */
  readonly share?: number;
  /** Retries per second that are granted without first attempts. Default 1. */
  readonly minPerSecond?: number;
  /** Milliseconds after which payments expire, 1000 to 60,000. Default 10,000. */
  readonly ttlMs?: number;
}

export interface RetryOptions {
  /** Attempts of a call without its hedge, from 1. Default 2. */
  readonly maxAttempts?: number;
  /** Longest wait before the first retry, doubled for each further one. Default 50. */
  readonly baseMs?: number;
  /** Highest of the doubled waits. Default 1000. */
  readonly capMs?: number;
  readonly budget?: RetryBudgetOptions;
}

export interface HedgeOptions {
  /** Share of successes that are faster than the wait before a hedge, above 0 and below 1. Default 0.95. */
  readonly afterPercentile?: number;
  /** Least milliseconds before a hedge. Default 50. */
  readonly minMs?: number;
  /** Least successes before the first hedge, 1 to 256. Default 20. */
  readonly minSamples?: number;
}

export interface GuardOptions {
  /** Name in errors, messages and statistics. */
  readonly name: string;
  /** Outcome of an error. Must not throw. Default: by `name`, `code`, status, `retryable` and `retryAfterMs` of the error. */
  readonly classify?: (error: unknown) => Outcome | Verdict;
  /** Rate of attempts. Default: not limited. */
  readonly rate?: RateOptions;
  /** Attempts in flight. Default: not limited. */
  readonly concurrency?: ConcurrencyOptions;
  /** Refuses calls while too many fail. Default `false`: off. */
  readonly circuit?: CircuitOptions | false;
  /** Further attempts after failures. Default `false`: none. */
  readonly retry?: RetryOptions | false;
  /** A second attempt beside a slow one. Default `false`: none. */
  readonly hedge?: HedgeOptions | false;
  /** Milliseconds that one attempt may take from when it is sent. Default: its call's deadline alone. */
  readonly attemptTimeoutMs?: number;
  /** Milliseconds since 1970. Default: the platform's clock, unmoved by changes of the wall clock. */
  readonly now?: () => number;
  /** Returns 0 to 1. Default `Math.random`. */
  readonly random?: () => number;
}

export type ResolvedCircuit = Filled<CircuitOptions>;
export type ResolvedRate = Filled<RateOptions>;
export type ResolvedBudget = Filled<RetryBudgetOptions>;
export type ResolvedHedge = Filled<HedgeOptions>;
export interface ResolvedRetry {
  readonly maxAttempts: number;
  readonly baseMs: number;
  readonly capMs: number;
  readonly budget: ResolvedBudget;
}
/** `min` and `max` of a fixed limit are equal. */
export interface ResolvedConcurrency {
  readonly initial: number;
  readonly min: number;
  readonly max: number;
  readonly isAdaptive: boolean;
  readonly maxQueued: number;
}

/** Checked options; a part that is undefined is off. */
export interface ResolvedGuardOptions {
  readonly name: string;
  readonly classify: (error: unknown) => Outcome | Verdict;
  readonly rate: ResolvedRate | undefined;
  readonly concurrency: ResolvedConcurrency | undefined;
  readonly circuit: ResolvedCircuit | undefined;
  readonly retry: ResolvedRetry | undefined;
  readonly hedge: ResolvedHedge | undefined;
  readonly attemptTimeoutMs: number | undefined;
  readonly now: (() => number) | undefined;
  readonly random: () => number;
}

const ACTION = 'create guard';

const rateRules = {
  perSecond: required({
    expected: 'above 0, to 1000000',
    range: true,
    aliases: ['limit', 'tokensPerSecond'],
    test: (value) => typeof value === 'number' && value > 0 && value <= 1e6,
  }),
  burst: required(wholeBetween(1, 1e6)),
  maxWaitMs: milliseconds(0, 0),
} satisfies Rules;

const adaptiveRules = {
  initial: wholeBetween(1, 1e6, 16),
  min: wholeBetween(1, 1e6, 2),
  max: wholeBetween(1, 1e6, 256),
} satisfies Rules;

const concurrencyRules = {
  limit: wholeBetween(1, 1e6),
  adaptive: { ...anObject, within: adaptiveRules },
  maxQueued: wholeBetween(0, 1e6, 0),
} satisfies Rules;

const circuitRules = {
  windowCalls: wholeBetween(1, 10_000, 50),
  windowMs: milliseconds(1, 60_000),
  minCalls: wholeBetween(1, 10_000, 10),
  failureShare: { ...aShare, fallback: 0.5 },
  openMs: milliseconds(1, 5000),
  maxOpenMs: milliseconds(1, 60_000),
  probes: wholeBetween(1, 1000, 3),
} satisfies Rules;

const budgetRules = {
  share: between(0, 1, 0.2),
  minPerSecond: between(0, 1e6, 1),
  ttlMs: wholeBetween(1000, 60_000, 10_000),
} satisfies Rules;

const retryRules = {
  maxAttempts: { ...wholeBetween(1, 100, 2), aliases: ['retries', 'attempts', 'maxRetries'] },
  baseMs: milliseconds(0, 50),
  capMs: milliseconds(0, 1000),
  budget: optionsOf(budgetRules),
} satisfies Rules;

const hedgeRules = {
  afterPercentile: {
    expected: 'above 0 and below 1',
    fallback: 0.95,
    range: true,
    test: (value) => typeof value === 'number' && value > 0 && value < 1,
  },
  minMs: milliseconds(0, 50),
  minSamples: wholeBetween(1, 256, 20),
} satisfies Rules;

const rules = {
  name: required(aName),
  classify: { ...aFunction, fallback: classifyError },
  rate: { ...anObject, within: rateRules },
  concurrency: { ...anObject, within: concurrencyRules, aliases: ['bulkhead'] },
  circuit: orFalse({ ...anObject, within: circuitRules, aliases: ['breaker', 'circuitBreaker'] }),
  retry: orFalse({ ...anObject, within: retryRules, aliases: ['retries'] }),
  hedge: orFalse({ ...anObject, within: hedgeRules }),
  attemptTimeoutMs: { ...milliseconds(1), aliases: ['timeout', 'timeoutMs'] },
  now: aFunction,
  random: { ...aFunction, fallback: Math.random },
} satisfies Rules;

function orFalse(rule: Rule): Rule {
  return {
    ...rule,
    expected: `false or ${rule.expected}`,
    test: (value) => value === false || rule.test(value),
  };
}

/** Checks the options of a guard and fills absent ones. @throws TypeError or RangeError */
export function resolveGuardOptions(options: GuardOptions): ResolvedGuardOptions {
  const given = resolveByRules<GuardOptions & Pick<ResolvedGuardOptions, 'classify' | 'random'>>(
    ACTION,
    options,
    rules,
  );
  return {
    name: given.name,
    classify: given.classify,
    rate: given.rate && resolveByRules<ResolvedRate>(ACTION, given.rate, rateRules, 'rate'),
    concurrency: given.concurrency && resolveConcurrency(given.concurrency),
    circuit: given.circuit ? resolveCircuit(given.circuit) : undefined,
    retry: given.retry ? resolveRetry(given.retry) : undefined,
    hedge: given.hedge
      ? resolveByRules<ResolvedHedge>(ACTION, given.hedge, hedgeRules, 'hedge')
      : undefined,
    attemptTimeoutMs: given.attemptTimeoutMs,
    now: given.now,
    random: given.random,
  };
}

/** Budget of a guard that hedges and does not retry. */
export const DEFAULT_BUDGET: ResolvedBudget = resolveByRules('create guard', {}, budgetRules);

function resolveRetry(options: RetryOptions): ResolvedRetry {
  const retry = resolveByRules<ResolvedRetry>(ACTION, options, retryRules, 'retry');
  const budget = resolveByRules<ResolvedBudget>(ACTION, retry.budget, budgetRules, 'retry.budget');
  return { ...retry, budget };
}

function resolveCircuit(options: CircuitOptions): ResolvedCircuit {
  const filled = resolveByRules<ResolvedCircuit>(ACTION, options, circuitRules, 'circuit');
  // Defaults give way to what is given.
  const circuit = {
    ...filled,
    minCalls: options.minCalls ?? Math.min(filled.minCalls, filled.windowCalls),
    openMs: options.openMs ?? Math.min(filled.openMs, filled.maxOpenMs),
    maxOpenMs: options.maxOpenMs ?? Math.max(filled.openMs, filled.maxOpenMs),
  };
  notAbove('circuit', 'minCalls', 'windowCalls', circuit);
  notAbove('circuit', 'openMs', 'maxOpenMs', circuit);
  return circuit;
}

function resolveConcurrency(options: ConcurrencyOptions): ResolvedConcurrency {
  const { limit, adaptive, maxQueued } = resolveByRules<
    ConcurrencyOptions & Pick<ResolvedConcurrency, 'maxQueued'>
  >(ACTION, options, concurrencyRules, 'concurrency');
  if ((limit === undefined) === (adaptive === undefined)) {
    throw new TypeError(
      `Cannot ${ACTION}: \`concurrency\` must have either \`limit\` or \`adaptive\`, got ${limit === undefined ? 'none' : 'both'}`,
    );
  }
  if (adaptive === undefined) {
    const fixed = limit as number;
    return { initial: fixed, min: fixed, max: fixed, isAdaptive: false, maxQueued };
  }
  return { ...resolveAdaptive(adaptive), isAdaptive: true, maxQueued };
}

function resolveAdaptive(options: AdaptiveLimitOptions): Filled<AdaptiveLimitOptions> {
  const under = 'concurrency.adaptive';
  const filled = resolveByRules<Filled<AdaptiveLimitOptions>>(
    ACTION,
    options,
    adaptiveRules,
    under,
  );
  const max = options.max ?? Math.max(filled.max, filled.min, options.initial ?? 0);
  const min = options.min ?? Math.min(filled.min, max, options.initial ?? max);
  const initial = options.initial ?? Math.max(min, Math.min(filled.initial, max));
  notAbove(under, 'min', 'initial', { min, initial });
  notAbove(under, 'initial', 'max', { initial, max });
  return { initial, min, max };
}

function notAbove<Name extends string>(
  under: string,
  low: Name,
  high: Name,
  values: Readonly<Record<Name, number>>,
): void {
  if (values[low] <= values[high]) return;
  throw new RangeError(
    `Cannot ${ACTION}: \`${under}.${low}\` must be at most \`${under}.${high}\` (${values[high]}), got ${values[low]}`,
  );
}
