import type { DayState } from '../../contract/carrier-day.ts';
import type { CarrierId } from '../../model/journey.ts';
import type { LocalDate } from '../../model/local-clock.ts';
import type { Money } from '../../model/money.ts';
import type { AppliedRates } from '../../prices/convert-prices.ts';
import type { CarrierStatus } from '../search-result.ts';
import type { ResolvedCalendarQuery } from './calendar-query.ts';

/** One day of a calendar, of all carriers. */
export interface CalendarDay {
  readonly date: LocalDate;
  /** A price of one carrier is enough for `priced`; `sold-out` and `no-trains` need the word of every carrier. */
  readonly state: DayState;
  /** Least price for all passengers. Absent: there is none, or there are prices in several currencies. */
  readonly lowest?: Money;
  /** `lowest` in the currency of the calendar, by its rates. */
  readonly converted?: Money;
  /** Seller of `lowest`. Absent: several sellers together, or no `lowest`. */
  readonly carrier?: CarrierId;
  /** Source of `lowest`: an offer that was found, or the carrier's own calendar, whose prices need not last until a search. */
  readonly basis?: 'offer' | 'calendar';
  /** Epoch ms at which the seller of `lowest` answered. */
  readonly fetchedAt?: number;
  /** Least price in each currency: by converted prices first, then by the others, in the order of their codes. Absent: there is no price. */
  readonly totals?: readonly Money[];
  /** Carriers that do not say, or not all, in their order. Absent: none. */
  readonly unknown?: readonly CarrierId[];
}

/** Days of a month, of all carriers until the deadline. */
export interface CalendarResult {
  readonly query: ResolvedCalendarQuery;
  /** The days of the month that a search may ask for, in order. */
  readonly days: readonly CalendarDay[];
  /** One per carrier, in the order of the search; `found` is the number of days that it is known of. */
  readonly carriers: readonly CarrierStatus[];
  /** Rates and currency of `converted`. Absent: the search has no rates. */
  readonly rates?: AppliedRates;
  /** True if every carrier is known of every day. */
  readonly complete: boolean;
  readonly ms: number;
}

/** An event of a calendar's stream: started, then each carrier's status and the days that it changes as they come, then done. */
export type CalendarEvent =
  | {
      readonly type: 'calendar-started';
      readonly query: ResolvedCalendarQuery;
      /** Every day, each of them `unknown`. */
      readonly days: readonly CalendarDay[];
      readonly carriers: readonly CarrierStatus[];
      /** Epoch ms. */
      readonly deadline: number;
      readonly rates?: AppliedRates;
    }
  | {
      readonly type: 'calendar-days';
      /** New states of days, by `date`. */
      readonly days: readonly CalendarDay[];
    }
  | { readonly type: 'carrier-status'; readonly status: CarrierStatus }
  | ({ readonly type: 'calendar-done' } & Omit<CalendarResult, 'query' | 'days' | 'rates'>);
