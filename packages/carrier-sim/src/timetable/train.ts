import type { CarrierSimId } from './lines.ts';

/** What a train is sold as. */
export type TrainBrand = 'AVE' | 'ALVIA' | 'AVLO' | 'OUIGO';

/** One vehicle's ride between two stations: plain data that survives JSON. */
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
export interface TrainFare {
  readonly seller: CarrierSimId;
  readonly code: string;
  readonly name: string;
  /** Euro cents. */
  readonly cents: number;
}

/** What a carrier can sell for a search: a train, or two trains with a change. */
export interface Train extends TrainRun {
  readonly operator: 'renfe' | 'ouigo';
  /** Who lists it, sold out or not. */
  readonly sellers: readonly CarrierSimId[];
  /** Empty when sold out. */
  readonly fares: readonly TrainFare[];
  /** Both rides of a journey with a change; its `number` and `brand` are then those of the first. */
  readonly connection?: readonly [TrainRun, TrainRun];
}
