// Guard calls to an upstream: circuit, rate, concurrency, retries, hedges, one deadline

export type { Outcome, Verdict } from './classify.ts';
export { classifyError } from './classify.ts';
export { createGuard } from './create-guard.ts';
export { GuardError, type GuardErrorCode, type GuardErrorData } from './errors.ts';
export type { Attempt, ExecuteContext, Guard, RunOptions } from './guard.ts';
export type {
  AdaptiveLimitOptions,
  CircuitOptions,
  ConcurrencyOptions,
  GuardOptions,
  HedgeOptions,
  RateOptions,
  RetryBudgetOptions,
  RetryOptions,
} from './guard-options.ts';
export type {
  CircuitStats,
  ConcurrencyStats,
  GuardStats,
  LatencyStats,
  RateStats,
} from './guard-stats.ts';
export type {
  CircuitKind,
  CircuitMessage,
  HedgeMessage,
  LimitMessage,
  PauseMessage,
  ResilienceMessages,
  RetryMessage,
} from './resilience-messages.ts';
