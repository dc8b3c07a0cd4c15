import { fixedLimiter } from './limiters.ts';
import { ADAPTS_S, CHANGES_S, type loads } from './loads.ts';
import { type Limiter, type ModelledFigures, simulate } from './modelled-carrier.ts';

/** Figures of a limit, relative to the best fixed one: before the change and after, when it has had time to adapt. */
export interface Compared {
  readonly before: RelativeFigures;
  readonly after: RelativeFigures;
}

interface RelativeFigures {
  /** Answered calls. */
  readonly goodput: number;
  readonly p99: number;
}

/** Compares a limit with the best fixed one for a load, with one seed. */
export function compareLimit(
  create: () => Limiter,
  { load, best }: (typeof loads)[number],
  seed: number,
): Compared {
  const own = simulate(create(), { ...load, seed });
  const fixed = simulate(fixedLimiter(best), { ...load, seed });
  const span = (from: number): RelativeFigures => {
    const read = (figures: typeof own): ModelledFigures =>
      figures(from + ADAPTS_S, from + CHANGES_S);
    const [ownFigures, fixedFigures] = [read(own), read(fixed)];
    return {
      goodput: ownFigures.perSecond / fixedFigures.perSecond,
      p99: ownFigures.p99Ms / fixedFigures.p99Ms,
    };
  };
  return { before: span(0), after: span(CHANGES_S) };
}
