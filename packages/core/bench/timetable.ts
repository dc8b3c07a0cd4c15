import {
  type Carrier,
  createJourney,
  createLocalClock,
  type Journey,
  type Offer,
  type SearchQuery,
  type Station,
} from '@ticketing/core';

const ZONE = 'Europe/Madrid';
const DAY = '2026-12-01';
const clock = createLocalClock();
const dayStart = clock.epoch(`${DAY}T00:00`, ZONE);

/** The day on which the bench searches. */
export const now = (): number => dayStart;

const station = (id: string, name: string, latitude: number, longitude: number): Station => ({
  id,
  name,
  zone: ZONE,
  country: 'ES',
  latitude,
  longitude,
  codes: {},
});
export const query = {
  origin: station('uic:7160000', 'Madrid Puerta de Atocha', 40.407, -3.691),
  destination: station('uic:7171801', 'Barcelona Sants', 41.379, 2.14),
  date: DAY,
} satisfies SearchQuery;

/** A carrier that answers at once with a list that it has. */
export function answering(id: string, journeys: readonly Journey[]): Carrier {
  return { id, name: id, request: async () => journeys, normalise: () => ({ journeys }) };
}

/** `carriers` lists of `each` journeys with three offers; `sellers` carriers in a row sell the same trains. */
export function createTimetable(options: {
  readonly carriers: number;
  readonly each: number;
  readonly sellers: number;
}): Carrier[] {
  return Array.from({ length: options.carriers }, (_, index) => {
    const id = `carrier-${index}`;
    const operator = Math.floor(index / options.sellers);
    const random = createRandom(operator + 1);
    const journeys = Array.from({ length: options.each }, (_, train) =>
      createTrain(id, { operator, train, random }),
    );
    return answering(id, journeys);
  });
}

function createTrain(
  source: string,
  { operator, train, random }: { operator: number; train: number; random: () => number },
): Journey {
  const departureMs = dayStart + Math.floor(random() * 1380) * 60_000;
  const arrivalMs = departureMs + (150 + Math.floor(random() * 60)) * 60_000;
  const cheapest = 1900 + Math.floor(random() * 8000);
  return createJourney({
    source,
    legs: [
      {
        kind: 'ride',
        origin: query.origin.id,
        destination: query.destination.id,
        departure: clock.fromEpoch(departureMs, ZONE),
        arrival: clock.fromEpoch(arrivalMs, ZONE),
        brand: `Brand ${operator}`,
        number: String(1000 + operator * 1000 + train),
        operator: `Operator ${operator}`,
      },
    ],
    offers: ['basic', 'flex', 'gold'].map(
      (id, step): Offer => ({
        id,
        seller: source,
        total: { amount: cheapest + step * 1500, currency: 'EUR' },
        travelClass: step === 2 ? 'first' : 'second',
        fareName: id,
        flexibility: step === 0 ? 'none' : 'full',
        seatsLeft: 20 - step,
        fetchedAt: dayStart,
      }),
    ),
  });
}

/**
 * Numbers from 0 to 1, the same in every run: a linear congruential generator modulo 2^32 with the
 * constants of Numerical Recipes. Good enough for timetables.
 */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}
