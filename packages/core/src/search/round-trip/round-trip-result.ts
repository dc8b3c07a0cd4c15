import type { Journey, Offer } from '../../model/journey.ts';
import type { CarrierStatus, SearchResult } from '../search-result.ts';

/** One offer for a way out and a way back together. */
export interface JourneyPair {
  /** Id of a journey of the way out. */
  readonly outbound: Journey['id'];
  /** Id of a journey of the way back. */
  readonly inbound: Journey['id'];
  /** Price of both ways for all passengers. */
  readonly offer: Offer;
}

/** Both ways of a round trip, of all carriers until the deadline. */
export interface RoundTripResult {
  readonly outbound: SearchResult;
  readonly inbound: SearchResult;
  /**
   * Offers of sellers that price both ways together, the cheapest first: of a pair of journeys the cheapest of each seller. Absent: no
   * carrier of the search does. A pair that is not in it costs its two journeys.
   */
  readonly pairs?: readonly JourneyPair[];
  /** One per carrier that was asked for pairs, in the order of the search; `found` is the number of its pairs. */
  readonly pairing?: readonly CarrierStatus[];
  /** True if both ways are complete, and every carrier that was asked for pairs answered. */
  readonly complete: boolean;
  readonly ms: number;
}
