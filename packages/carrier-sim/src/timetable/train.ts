import type { CarrierSimId, Fare, Operator, TrainBrand } from './sim-carriers.ts';

/** One train between two stations: plain data that survives JSON. */
export interface TrainRun {
  /** Five digits with leading zeros, `03063`; odd away from Madrid. Unique per brand, day and pair of stations. */
  readonly number: string;
  readonly brand: TrainBrand;
  /** UIC code. */
  readonly origin: string;
  /** UIC code. */
  readonly destination: string;
  /** The day of departure at the origin, `2026-12-01`. */
  readonly date: string;
  /** Epoch milliseconds, a whole minute. */
  readonly departureMs: number;
  /** Epoch milliseconds, a whole minute. */
  readonly arrivalMs: number;
  /** 0 when sold out. */
  readonly seatsLeft: number;
}

/** A price for one person on one train, as one carrier sells it. */
export interface TrainFare extends Fare {
  readonly seller: CarrierSimId;
}

/** What a carrier sells for a search: one train, or two with a change. */
export interface Train extends TrainRun {
  readonly operator: Operator;
  /** The carriers that list it, sold out or not. */
  readonly sellers: readonly CarrierSimId[];
  /** Empty when sold out. */
  readonly fares: readonly TrainFare[];
  /** Both rides of a journey with a change, whose `number` and `brand` are those of the first. */
  readonly connection?: readonly [TrainRun, TrainRun];
}
