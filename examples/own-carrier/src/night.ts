// The adapter of a carrier that the library does not know: night trains, sold by the bed.
import {
  type Carrier,
  CarrierError,
  type CarrierHttpResponse,
  type CarrierQuery,
  createJourney,
  createLocalClock,
  type Journey,
  type Offer,
  parseMoney,
} from '@ticketing/core';

interface Departure {
  readonly train: string;
  /** Local times of the stations, `2026-12-01T22:05`. */
  readonly leaves: string;
  readonly arrives: string;
  readonly beds: readonly { readonly class: string; readonly price: string }[];
}

const clock = createLocalClock();
const codeOf = ({ id }: CarrierQuery['origin']) => id.replace('uic:', '');

export function createNight({
  baseUrl,
}: {
  readonly baseUrl: string;
}): Carrier<CarrierHttpResponse> {
  return {
    id: 'night',
    name: 'Night Trains',
    // What `http.send` gives is what `normalise` gets: bytes, and `receivedAt`, which `normalise` could not know.
    request({ origin, destination, date }, { http, signal, deadline }) {
      const url = `${baseUrl}/departures/${date}/${codeOf(origin)}/${codeOf(destination)}`;
      return http.send({ method: 'GET', url, signal, deadline });
    },
    normalise({ body, receivedAt }, query) {
      try {
        const { departures } = JSON.parse(new TextDecoder().decode(body));
        return { journeys: departures.map((one: Departure) => journeyOf(one, query, receivedAt)) };
      } catch (cause) {
        // Whatever cannot be read is one kind of error, so that a search reports it as such.
        throw new CarrierError('PROTOCOL', 'Cannot read the departures of night', { cause });
      }
    },
  };
}

function journeyOf(
  { train, leaves, arrives, beds }: Departure,
  query: CarrierQuery,
  fetchedAt: number,
): Journey {
  const { origin, destination, passengers } = query;
  const departure = clock.fromLocal(leaves, origin.zone);
  const arrival = clock.fromLocal(arrives, destination.zone);
  const offers = beds.map(({ class: bed, price }): Offer => {
    const { amount, currency } = parseMoney(price, { currency: 'EUR' });
    const total = { amount: amount * passengers.length, currency };
    return {
      id: bed,
      seller: 'night',
      total,
      travelClass: 'any',
      fareName: bed,
      flexibility: 'semi',
      fetchedAt,
    };
  });
  const stations = { origin: origin.id, destination: destination.id };
  const ride = { kind: 'ride', number: train, ...stations, departure, arrival } as const;
  return createJourney({ source: 'night', legs: [ride], offers });
}
