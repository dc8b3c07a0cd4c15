// A dispatcher around another one: a fallback for calls that cannot be sent, a second worker for slow ones

export type {
  DispatchWrappersMessages,
  FallbackMessage,
  HedgeMessage,
} from './dispatch-wrappers-messages.ts';
export type { FallbackStats } from './fallback-calls.ts';
export type { HedgeStats } from './hedges.ts';
export {
  type FallbackDispatcher,
  type FallbackOptions,
  withFallback,
} from './with-fallback.ts';
export {
  type HedgeDispatcher,
  type HedgeOptions,
  withHedge,
} from './with-hedge.ts';
