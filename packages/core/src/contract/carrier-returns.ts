import type { Journey, Offer } from '../model/journey.ts';

/** Journeys back, and offers for a way out and a way back together. */
export interface CarrierReturns {
  /** Journeys from the destination to the origin. */
  readonly journeys: readonly Journey[];
  readonly pairs: readonly CarrierPair[];
}

/** One offer for both ways. */
export interface CarrierPair {
  /** Index among the journeys of the answer. */
  readonly outbound: number;
  /** Index among the journeys back. */
  readonly inbound: number;
  /** Price for both ways and all passengers. */
  readonly offer: Offer;
}
