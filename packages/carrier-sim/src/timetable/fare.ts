import type { EuropeanBrand, EuropeanOperator } from './europe/lines.ts';
import type { SpanishBrand } from './spanish-brands.ts';

/** A price for one person. */
export interface Fare {
  readonly code: string;
  readonly name: string;
  /** Euro cents, or hundredths of `currency`. */
  readonly cents: number;
  /** Absent: euros. */
  readonly currency?: 'CHF';
  readonly travelClass?: 'first' | 'second';
  /** Flexibility of the ticket, by which its refund and exchange are free, cost a fee, or are not possible. Default `none`. */
  readonly flexibility?: 'none' | 'semi' | 'full';
}

/** The name of a brand. */
export type TrainBrand = SpanishBrand | EuropeanBrand;

/** Company that runs a train. */
export type Operator = 'renfe' | 'ouigo' | EuropeanOperator;

/** Properties that decide the fares of one train, or of two with a change. */
export interface PricedRide {
  readonly minutes: number;
  /** 1 or more. */
  readonly seatsLeft: number;
  readonly brands: readonly TrainBrand[];
  /** Company that runs the first train. */
  readonly operator: Operator;
}
