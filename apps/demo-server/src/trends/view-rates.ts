import type { OperatorView } from '../figures/view-schema.ts';

/** Rates that the server has made of its views: every viewer reads the same ones. */
export interface ReadRates {
  /** Returns how much a counter grew per second in the last three; `undefined` before the second view. */
  perSecond(name: string): number | undefined;
  /** Returns how much a counter grew in the last ten seconds. */
  recent(name: string): number;
  /** Returns a quantile of times in the last ten seconds, in milliseconds; `undefined` if there were none. */
  quantile(name: string, share: 0.5 | 0.99): number | undefined;
}

/** Returns the rates of a view. */
export function ratesOf({ rates }: Pick<OperatorView, 'rates'>): ReadRates {
  return {
    perSecond: (name) => rates.perSecond[name],
    recent: (name) => rates.recent[name] ?? 0,
    quantile: (name, share) => rates[share === 0.5 ? 'p50' : 'p99'][name],
  };
}

/** Returns the share of calls in the last 10 s that needed no load of their own; `undefined` if there were none. `of`: a coalescer. */
export function savedShare(rates: ReadRates, of?: string): number | undefined {
  const [asked = 0, led = 0] = ['asked', 'led'].map((name) =>
    rates.recent(of === undefined ? name : `${name} ${of}`),
  );
  return asked === 0 ? undefined : Math.max(0, 1 - led / asked);
}
