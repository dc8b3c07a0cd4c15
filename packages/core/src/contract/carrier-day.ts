import type { LocalDate } from '../model/local-clock.ts';
import type { Money } from '../model/money.ts';

/**
 * - `priced`: there is a price
 * - `sold-out`: trains run, and none of them can be bought
 * - `no-trains`: no train runs
 * - `unknown`: no source has it
 */
export type DayState = 'priced' | 'sold-out' | 'no-trains' | 'unknown';

/** One day in a carrier's own calendar of prices. */
export interface CarrierDay {
  readonly date: LocalDate;
  /** A carrier that only lists days with a price leaves the others `unknown`: they may be sold out, or without trains. */
  readonly state: DayState;
  /** Least price for all passengers of the query. Present if, and only if, the day is `priced`. */
  readonly lowest?: Money;
  /** Epoch ms at which the carrier answered. */
  readonly fetchedAt: number;
}
