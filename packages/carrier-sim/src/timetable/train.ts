import type { Fare, Operator, TrainBrand } from './fare.ts';
import type { CarrierSimId } from './sim-carriers.ts';

/** One train between two stations: plain data that survives JSON. */
export interface TrainRun {
  /**
   * Unique per brand, day and pair of stations. On the Spanish network five digits with leading zeros, `03063`, odd away from Madrid;
   * elsewhere as it is printed, `9241`.
   */
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
  /** Company that runs this train, on the network beyond the Spanish one. */
  readonly operator?: Operator;
  /** The line that travellers know the train by, `IC 8`, where there is one. */
  readonly line?: string;
  /** Minutes by which the train is expected to leave and arrive late (1-25); absent: on time. */
  readonly delayMinutes?: number;
  /** Present for a cancelled train, which has no seats. */
  readonly cancelled?: true;
  /** Both parts of a train that goes on under another number: people stay in it. `number` is that of the first. */
  readonly sections?: readonly [TrainSection, TrainSection];
}

/** One train, or two with a change. */
export type Ride = readonly [TrainRun] | readonly [TrainRun, TrainRun];

/** One part of a train that goes on under another number. */
export type TrainSection = Pick<
  TrainRun,
  'number' | 'origin' | 'destination' | 'departureMs' | 'arrivalMs'
>;

/** A price for one person on one train, as one carrier sells it. */
export interface TrainFare extends Fare {
  readonly seller: CarrierSimId;
}

/** Journey that a carrier sells for a search: one train, or two with a change. */
export interface Train extends TrainRun {
  readonly operator: Operator;
  /** The carriers that list it, sold out or not. */
  readonly sellers: readonly CarrierSimId[];
  /** Empty when sold out, and of carriers that know no price. */
  readonly fares: readonly TrainFare[];
  /**
   * Both rides of a journey with a change, whose `number` and `brand` are from the first. The second may leave from another
   * station of the same city.
   */
  readonly connection?: readonly [TrainRun, TrainRun];
}
