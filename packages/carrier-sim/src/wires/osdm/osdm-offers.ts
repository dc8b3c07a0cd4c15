import type { CarrierSimId } from '../../timetable/sim-carriers.ts';
import type { Train, TrainFare } from '../../timetable/train.ts';
import { afterSalesOf, conditionsOf } from './osdm-details.ts';

/** The trip and the passengers that offers are for, and who makes them. */
interface OffersQuery {
  readonly tripId: string;
  readonly seller: CarrierSimId;
  readonly passengers: readonly string[];
  readonly travelClasses?: readonly string[] | undefined;
  /** Way of a round trip. Default: the offers are for a single journey. */
  readonly way?: 'outbound' | 'inbound' | undefined;
}

const dayMs = 86_400_000;
/** Flexibilities by the standard's names. */
export const flexibilities = { none: 'NON_FLEXIBLE', semi: 'SEMI_FLEXIBLE', full: 'FULL_FLEXIBLE' };

/**
 * Returns the offers of a train, one of each fare for every passenger, whatever mode is asked for: so do servers that resell what
 * others sell. None when the train is sold out.
 */
export function offersOf(train: Train, query: OffersQuery): readonly object[] {
  const { tripId, seller: whose, passengers, travelClasses, way } = query;
  const coverage =
    way === 'inbound'
      ? { inboundTripCoverage: { coveredTripId: tripId } }
      : { tripCoverage: { coveredTripId: tripId } };
  return train.fares
    .filter(({ seller }) => seller === whose)
    .filter((fare) => travelClasses?.includes(classOf(fare)) ?? true)
    .flatMap((fare) => [
      ...passengers.map((passenger) => offerFor(passenger, fare)),
      ...(way ? passengers.map((passenger) => returnOffer(passenger, fare)) : []),
    ]);

  /** An offer that is sold with one of equal tags for the other way alone. */
  function returnOffer(passenger: string, fare: TrainFare): object {
    const reduced = { ...fare, cents: returnCents(fare), code: `${fare.code}-R` };
    return { ...offerFor(passenger, reduced), returnTags: [`return-${fare.code}`] };
  }

  function offerFor(passenger: string, fare: TrainFare): object {
    const price = { currency: fare.currency ?? 'EUR', amount: fare.cents, scale: 2 };
    // Of the train, not of the clock, so that equal searches have equal bytes.
    const createdOn = new Date(train.departureMs - 180 * dayMs).toISOString();
    const validFrom = new Date(train.departureMs - dayMs).toISOString();
    const product = `${tripId}-${fare.code}`;
    return {
      offerId: `o-${product}-${passenger}`,
      createdOn,
      preBookableUntil: new Date(train.departureMs - 300_000).toISOString(),
      passengerRefs: [passenger],
      ...coverage,
      offerSummary: {
        minimalPrice: price,
        overallServiceClass: { type: 'STANDARD', name: fare.name },
        overallTravelClass: classOf(fare),
        overallFlexibility: flexibilities[fare.flexibility ?? 'none'],
      },
      admissionOfferParts: [
        {
          objectType: 'AdmissionOfferPart',
          id: `a-${product}-${passenger}`,
          createdOn,
          validFrom,
          price,
          offerMode: 'INDIVIDUAL',
          passengerRefs: [passenger],
          numericAvailability: train.seatsLeft,
          ...afterSalesOf(fare),
          products: [{ productId: product }],
          availableFulfillmentOptions: [],
        },
      ],
      products: [
        {
          id: product,
          code: fare.code,
          summary: fare.name,
          owner: 'urn:uic:rics:1185',
          flexibility: flexibilities[fare.flexibility ?? 'none'],
          ...conditionsOf(fare),
        },
      ],
    };
  }
}

/** Returns the class of a fare, by the standard's name. */
export function classOf({ travelClass }: TrainFare): string {
  return travelClass === 'first' ? 'FIRST' : 'SECOND';
}

/** Returns the price of one way for people who also buy the other: 15 % less, in whole units of ten. */
function returnCents({ cents }: Pick<TrainFare, 'cents'>): number {
  return Math.ceil((cents * 0.85) / 10) * 10;
}
