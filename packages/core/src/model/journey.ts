import type { StationId } from '../stations/station-index.ts';
import type { LocalDate, TimeAt } from './local-clock.ts';
import type { Money } from './money.ts';
import type { MAX_REMARK_LENGTH, MAX_REMARKS, Remark } from './remark.ts';

/** Id of one carrier among the carriers of a search: `'renfe'`. */
export type CarrierId = string;

/** One train, or another vehicle, boarded once and left once. */
export interface RideLeg {
  readonly kind: 'ride';
  readonly origin: StationId;
  readonly destination: StationId;
  /** Planned time, also of a train that is late. */
  readonly departure: TimeAt;
  /** Planned time, also of a train that is late. */
  readonly arrival: TimeAt;
  /** Expected time, where the carrier has one. */
  readonly expectedDeparture?: TimeAt;
  readonly expectedArrival?: TimeAt;
  /** Set on a train that does not run, or does not call at one of the ends. */
  readonly cancelled?: true;
  /** Kind of vehicle, if it is no train. */
  readonly mode?: RideMode;
  /** Product name, `'AVE'`, or the name of a line, `'S8'`. */
  readonly brand?: string;
  /** Train number without leading zeros, `'3063'`. */
  readonly number?: string;
  /** Numbers of trains that are coupled to it. Shown; journeys are merged by `number`. */
  readonly otherNumbers?: readonly string[];
  /** Company that runs the train. */
  readonly operator?: string;
  /** The day under which the operator runs the train. */
  readonly operatingDay?: LocalDate;
  /** Trains that people stay in, in turn: number or line change on the way, the seat need not. Absent: it is one train. */
  readonly sections?: readonly RideSection[];
  /** Platform of the departure. Absent: the carrier does not name one. */
  readonly departurePlatform?: Platform;
  readonly arrivalPlatform?: Platform;
  /** Remarks of the carrier on this train, at most {@link MAX_REMARKS}. */
  readonly remarks?: readonly Remark[];
  /** Stops on the way, in order. Absent: the query has no `stops`, or the carrier does not name them. */
  readonly stops?: readonly RideStop[];
  /** Booking that the vehicle needs in order to run. */
  readonly booking?: RideBooking;
  /** Grams of CO2 equivalent for each passenger, from 0, as the carrier answers them. */
  readonly co2Grams?: number;
}

/** A platform, a track or a bay, as it is written at the station. At least one of both is there. */
export interface Platform {
  readonly planned?: string;
  /** Platform that the carrier expects now. A value other than `planned` is a change. */
  readonly expected?: string;
}

/** A station where a train calls between the ends of a ride. */
export interface RideStop {
  readonly station: StationId;
  readonly arrival?: TimeAt;
  readonly departure?: TimeAt;
  readonly expectedArrival?: TimeAt;
  readonly expectedDeparture?: TimeAt;
  readonly platform?: Platform;
  /** The train does not call here. */
  readonly cancelled?: true;
}

/** Booking of a vehicle that runs on demand. */
export interface RideBooking {
  /** Latest time of a booking. */
  readonly until?: TimeAt;
  /** Instructions for the booking: at most {@link MAX_REMARK_LENGTH} characters. */
  readonly text?: string;
}

/** One of the trains that people stay in. */
export type RideSection = Omit<RideLeg, 'kind' | 'sections'>;

/** A vehicle that is no train. */
export type RideMode = 'bus' | 'tram' | 'metro' | 'ferry' | 'other';

/** The way between two trains, to the first one, or from the last one. */
export interface TransferLeg {
  readonly kind: 'transfer';
  readonly origin: StationId;
  readonly destination: StationId;
  /** Minutes of the way. Between two trains 0 where the carrier has no time for it. */
  readonly minutes: number;
  /**
   * Mark of a way at an end of a journey: the trains begin or end at a station near the one that was asked for. The carrier knows no way between
   * them, so that its minutes are no part of the duration.
   */
  readonly nearby?: true;
  /**
   * Risk by the expected times. `missed`: the next train leaves before the last one arrives. `tight`: the next train leaves before the
   * way is done. A connection that is as short as planned is neither.
   */
  readonly risk?: 'tight' | 'missed';
  /**
   * Mark of a connection that no seller protects: both trains are sold apart, and a traveller who misses the second one buys
   * another ticket. The minutes are the least that the connection has.
   */
  readonly selfTransfer?: true;
}

/** A part of a journey: a train, or a way to, from or between trains. */
export type Leg = RideLeg | TransferLeg;

/** Class of travel; `any`: the seller does not name one. */
export type TravelClass = 'first' | 'second' | 'any';

/** Price of one seller for a journey, or for some of its rides. */
export interface Offer {
  /** Id that is unique for the seller within one journey. */
  readonly id: string;
  readonly seller: CarrierId;
  /** Price for all passengers of the query. */
  readonly total: Money;
  /**
   * Price in the currency of the search, by its rates: of an offer in that currency, `total`. Absent: the search has no rates, or none for the
   * currency of `total`. What is sold is `total`.
   */
  readonly converted?: Money;
  /** Indexes among the rides of the journey that the offer covers, ascending. Absent: all. */
  readonly rides?: readonly number[];
  readonly travelClass: TravelClass;
  readonly fareName?: string;
  readonly flexibility: 'full' | 'semi' | 'none' | 'unknown';
  readonly seatsLeft?: number;
  /** Indexes among the passengers of the query whom the offer is for, ascending. Absent: all. */
  readonly passengers?: readonly number[];
  readonly conditions?: OfferConditions;
  /** Epoch ms. */
  readonly validUntil?: number;
  /** Epoch ms at which the seller answered. */
  readonly fetchedAt: number;
}

/** Refund and exchange of a ticket after its purchase. */
export interface OfferConditions {
  readonly refund: Condition;
  readonly exchange: Condition;
  /** Text in the seller's words: at most {@link MAX_REMARK_LENGTH} characters. */
  readonly text?: string;
}

/** `fee`: for a part of the price. */
export type Condition = 'yes' | 'fee' | 'no' | 'unknown';

/** Time of another source that differs by more than three minutes from the journey's own. */
export interface TimeConflict {
  readonly field: 'departure' | 'arrival';
  readonly source: CarrierId;
  readonly value: TimeAt;
}

/** Emissions for each passenger. */
export interface JourneyCo2 {
  /** Grams of CO2 equivalent. */
  readonly grams: number;
  /** True if any ride is estimated, by its distance and a factor of its kind of vehicle; false if each is a carrier's own figure. */
  readonly estimated: boolean;
}

/**
 * One way to travel, with every offer for it. Sold out at a source that is not in `unpriced` and has no offer.
 */
export interface Journey {
  /** Id that the same trains on the same day have with every seller. */
  readonly id: string;
  readonly legs: readonly Leg[];
  /** Planned departure of the first train. */
  readonly departure: TimeAt;
  /** Planned arrival of the last train. */
  readonly arrival: TimeAt;
  /** Minutes from door to door: with the ways before the first train and after the last, by expected times where there are any. */
  readonly durationMinutes: number;
  /** Changes of train. */
  readonly transfers: number;
  /** Cheapest first, by converted prices; then those without, of each currency by itself. */
  readonly offers: readonly Offer[];
  /** Carriers that list this journey, sorted. */
  readonly sources: readonly CarrierId[];
  /** Members of `sources` that know the times and no price, sorted. */
  readonly unpriced?: readonly CarrierId[];
  readonly conflicts?: readonly TimeConflict[];
  /** Remarks of carriers on the whole journey, at most {@link MAX_REMARKS}. */
  readonly remarks?: readonly Remark[];
  /** Number of travellers. Present only beside offers for some of them, because it decides which offers together are for all. */
  readonly passengers?: number;
  /** Set by a search, after the merge. Absent: a ride has no figure, and cannot be estimated. */
  readonly co2?: JourneyCo2;
}

/** Returns the legs that are trains: the same list if all are. */
export function ridesOf(legs: readonly Leg[]): readonly RideLeg[] {
  return legs.every(isRide) ? legs : legs.filter(isRide);
}

function isRide(leg: Leg): leg is RideLeg {
  return leg.kind === 'ride';
}

/**
 * Returns the text that identifies a journey: operating day, train number and stations of each ride; for a
 * ride without a number also its times, brand and operator.
 */
export function journeyKey(rides: readonly RideLeg[]): string {
  let key = '';
  for (const ride of rides) {
    const day = ride.operatingDay ?? ride.departure.iso.slice(0, 10);
    const name =
      ride.number ?? `${ride.departure.ms}/${ride.arrival.ms}/${ride.brand}/${ride.operator}`;
    key += `${key && ' > '}${day} ${name} ${ride.origin} ${ride.destination}`;
  }
  return key;
}

/** Returns the price by which an offer is compared with others of that currency. */
export function comparedPrice({ converted, total }: Offer): Money {
  return converted ?? total;
}

/**
 * Compares offers, cheapest first, of each currency by itself: converted ones, then the others. A total order: currency, amount,
 * seller, id.
 */
export function compareOffers(a: Offer, b: Offer): number {
  const [own, other] = [comparedPrice(a), comparedPrice(b)];
  return (
    Number(a.converted === undefined) - Number(b.converted === undefined) ||
    compareText(own.currency, other.currency) ||
    own.amount - other.amount ||
    compareText(a.seller, b.seller) ||
    compareText(a.id, b.id)
  );
}

/** Sorts offers in place. Most answers have them in order. */
export function sortOffers(offers: Offer[]): Offer[] {
  const isAfter = (offer: Offer, index: number): boolean =>
    index === 0 || compareOffers(offers[index - 1] as Offer, offer) <= 0;
  return offers.every(isAfter) ? offers : offers.sort(compareOffers);
}

/** Compares texts by code units: the same on every machine. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
