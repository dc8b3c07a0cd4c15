import {
  type Carrier,
  createJourney,
  createLocalClock,
  type Journey,
  type Offer,
  type RideLeg,
  type SearchQuery,
  type Station,
} from '@ticketing/core';

const clock = createLocalClock();

/** 10:00 of the day before every train of these tests, so that no test depends on today. */
export const NOW = clock.epoch('2026-11-30T10:00', 'Europe/Madrid');

export const madrid: Station = {
  id: 'uic:7160000',
  name: 'Madrid Puerta de Atocha',
  zone: 'Europe/Madrid',
  country: 'ES',
  latitude: 40.4064,
  longitude: -3.6909,
  codes: { uic: '7160000', renfe: '60000' },
  aliases: ['Madrid', 'Atocha'],
};

export const barcelona: Station = {
  id: 'uic:7171801',
  name: 'Barcelona Sants',
  zone: 'Europe/Madrid',
  country: 'ES',
  latitude: 41.3799,
  longitude: 2.141,
  codes: { uic: '7171801', renfe: '71801' },
  aliases: ['Barcelona'],
};

export const query: SearchQuery = { origin: madrid, destination: barcelona, date: '2026-12-01' };

/** A train as a test speaks of it: `at` and `until` are local times of Madrid. */
export interface TrainParts extends Partial<Omit<RideLeg, 'departure' | 'arrival'>> {
  readonly source?: string;
  readonly at?: string;
  readonly until?: string;
  readonly offers?: readonly Offer[];
  readonly priced?: false | undefined;
}

export function train(parts: TrainParts = {}): Journey {
  const { source = 'renfe', at = '2026-12-01T06:15', until = '2026-12-01T08:45', ...rest } = parts;
  const { offers = [], priced, ...ride } = rest;
  return createJourney({
    source,
    legs: [
      {
        kind: 'ride',
        origin: madrid.id,
        destination: barcelona.id,
        departure: clock.fromLocal(at, 'Europe/Madrid'),
        arrival: clock.fromLocal(until, 'Europe/Madrid'),
        ...ride,
      },
    ],
    offers,
    priced,
  });
}

/** A journey as carriers answer it: a search adds its emissions. */
export function withoutCo2({ co2: _, ...journey }: Journey): Journey {
  return journey;
}

export function offer(seller: string, amount: number, parts: Partial<Offer> = {}): Offer {
  return {
    id: `${seller}-${amount}`,
    seller,
    total: { amount, currency: 'EUR' },
    travelClass: 'any',
    flexibility: 'unknown',
    fetchedAt: NOW,
    ...parts,
  };
}

/** A carrier whose whole answer is decided by `request`. */
export function carrier(id: string, request: Carrier<readonly Journey[]>['request']): Carrier {
  const inMemory: Carrier<readonly Journey[]> = {
    id,
    name: `The ${id} railway`,
    request,
    normalise: (journeys) => ({ journeys }),
  };
  return inMemory as Carrier;
}

/** Answers two trains, the later one first. */
export const renfe = carrier('renfe', async () => [
  train({
    number: '3063',
    at: '2026-12-01T09:00',
    until: '2026-12-01T11:30',
    offers: [offer('renfe', 5000)],
  }),
  train({ number: '3059', offers: [offer('renfe', 9000)] }),
]);

/** A carrier that answers when the test says so, and remembers how it was asked. */
export function heldCarrier(id: string) {
  let answer!: (journeys: readonly Journey[]) => void;
  let fail!: (error: unknown) => void;
  const promise = new Promise<readonly Journey[]>((resolve, reject) => {
    answer = resolve;
    fail = reject;
  });
  const signals: AbortSignal[] = [];
  const held = carrier(id, (_query, { signal }) => {
    signals.push(signal);
    return promise;
  });
  return { carrier: held, answer, fail, signals };
}
