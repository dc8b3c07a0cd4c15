import { figures } from '../../figures.ts';
import { byLabel, type Family, type Point } from '../family.ts';
import { familyOf, type SingleFigure } from '../family-of.ts';
import type { Named } from './named.ts';

/** Calls and attempts of a guard, as its `stats()` has them. */
interface GuardCounts extends Named {
  readonly calls: {
    readonly succeeded: number;
    readonly failed: number;
    readonly timedOut: number;
    readonly left: number;
  };
  readonly attempts: { readonly retry: number; readonly hedge: number };
  readonly outcomes: {
    readonly success: number;
    readonly failure: number;
    readonly throttled: number;
    readonly ignored: number;
  };
  readonly refused: {
    readonly circuitOpen: number;
    readonly rateLimited: number;
    readonly overloaded: number;
    readonly noBudget: number;
  };
  readonly attemptTimeouts: number;
  readonly circuit: {
    readonly kind: 'closed' | 'open' | 'half-open';
    readonly opened: number;
  } | null;
  readonly rate: { readonly pausedMs: number; readonly pauses: number };
  readonly concurrency: {
    readonly limit: number | null;
    readonly inFlight: number;
    readonly queued: number;
  };
}

/** Statistics of `resilience`. */
export interface ResilienceStats {
  /** `stats()` of guards. */
  readonly guards?: readonly GuardCounts[];
}

const MS_PER_S = 1000;

/** Families of guards. */
export const resilienceFamilies: readonly Family<ResilienceStats>[] = [
  ofGuards(figures.guardCalls, ({ name, calls: { succeeded, failed, timedOut, left } }) =>
    byLabel('outcome', {
      labels: { name },
      values: { succeeded, failed, 'timed-out': timedOut, left },
    }),
  ),
  ofGuards(figures.guardAttempts, ({ name, outcomes: { success, failure, throttled, ignored } }) =>
    byLabel('outcome', { labels: { name }, values: { success, failure, throttled, ignored } }),
  ),
  ofGuards(figures.guardRefused, ({ name, refused }) =>
    byLabel('part', {
      labels: { name },
      values: {
        circuit: refused.circuitOpen,
        rate: refused.rateLimited,
        concurrency: refused.overloaded,
        budget: refused.noBudget,
      },
    }),
  ),
  oneOfGuards(figures.guardRetries, ({ attempts }) => attempts.retry),
  oneOfGuards(figures.guardHedges, ({ attempts }) => attempts.hedge),
  oneOfGuards(figures.guardTimeouts, ({ attemptTimeouts }) => attemptTimeouts),
  oneOfGuards(figures.guardActive, ({ concurrency }) => concurrency.inFlight),
  oneOfGuards(figures.guardWaiting, ({ concurrency }) => concurrency.queued),
  oneOfGuards(figures.guardLimit, ({ concurrency }) => concurrency.limit),
  ofGuards(figures.guardCircuit, ({ name, circuit }) => {
    if (circuit === null) return [];
    const states = { closed: 0, 'half-open': 0, open: 0 };
    states[circuit.kind] = 1;
    return byLabel('state', { labels: { name }, values: states });
  }),
  oneOfGuards(figures.guardOpened, ({ circuit }) => circuit?.opened ?? null),
  oneOfGuards(figures.guardPauses, ({ rate }) => rate.pauses),
  oneOfGuards(figures.guardPaused, ({ rate }) => rate.pausedMs / MS_PER_S),
];

function ofGuards(
  figure: SingleFigure,
  read: (stats: GuardCounts) => readonly Point[],
): Family<ResilienceStats> {
  return familyOf(figure, ({ guards = [] }) => guards.flatMap(read));
}

/** Reads one value of each guard; `null`: none, because its part is off. */
function oneOfGuards(
  figure: SingleFigure,
  read: (stats: GuardCounts) => number | null,
): Family<ResilienceStats> {
  return ofGuards(figure, (stats) => {
    const value = read(stats);
    return value === null ? [] : [{ labels: { name: stats.name }, value }];
  });
}
