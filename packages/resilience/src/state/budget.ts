import type { ResolvedBudget } from '../guard-options.ts';

/** Parts of the time to live; payments of one part expire together. */
const PARTS = 10;

/** Record of what retries and hedges may take; the functions of this file alone write it. */
export interface Budget {
  readonly share: number;
  /** Retries of one time to live that need no first attempts. */
  readonly reserve: number;
  readonly partMs: number;
  /** Payments less withdrawals of each part, a ring. */
  readonly parts: Float64Array;
  /** Number of the part that `parts` was written for last. */
  part: number;
}

/**
 * Creates a budget as Finagle's and tower's are: payments and withdrawals expire alike, so that in no time to live more is taken than
 * was paid in, and the reserve.
 */
export function createBudget({ share, minPerSecond, ttlMs }: ResolvedBudget): Budget {
  return {
    share,
    reserve: (minPerSecond * ttlMs) / 1000,
    partMs: ttlMs / PARTS,
    parts: new Float64Array(PARTS),
    part: 0,
  };
}

/** Pays in for a first attempt. */
export function deposit(budget: Budget, now: number): void {
  const place = advance(budget, now);
  budget.parts[place] = (budget.parts[place] as number) + budget.share;
}

/** Takes what one retry or hedge costs. Returns false, and takes nothing, if there is less. */
export function withdraw(budget: Budget, now: number): boolean {
  const place = advance(budget, now);
  if (sum(budget) < 1) return false;
  budget.parts[place] = (budget.parts[place] as number) - 1;
  return true;
}

/** Returns how many retries and hedges may be sent now. */
export function balanceOf(budget: Budget, now: number): number {
  advance(budget, now);
  return sum(budget);
}

/** Sum of shares such as 0.1 ten times is a little less than it should be. */
const ROUNDING = 1e-9;

function sum({ parts, reserve }: Budget): number {
  let total = reserve + ROUNDING;
  for (const part of parts) total += part;
  return total;
}

function advance(budget: Budget, now: number): number {
  const part = Math.floor(now / budget.partMs);
  if (part > budget.part) {
    if (part - budget.part >= PARTS) budget.parts.fill(0);
    else for (let old = budget.part + 1; old <= part; old += 1) budget.parts[old % PARTS] = 0;
    budget.part = part;
  }
  return budget.part % PARTS;
}
