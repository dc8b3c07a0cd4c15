import type { CarrierSimId } from './lines.ts';
import { createRandom, type Random } from './random.ts';
import type { TrainFare, TrainRun } from './train.ts';

/** What decides the fares of one seller for one ride. */
export interface FaresQuery {
  readonly seed: string;
  readonly seller: CarrierSimId;
  /** One ride, or the two of a journey with a change. */
  readonly runs: readonly TrainRun[];
}

/** Lists what a seller asks for a ride, cheapest first; nothing when a ride is sold out. */
export function listFares({ seed, seller, runs }: FaresQuery): readonly TrainFare[] {
  if (runs.some((run) => run.seatsLeft === 0)) return [];
  const rides = runs.map((run) => `${run.origin}/${run.destination}/${run.date}/${run.number}`);
  const random = createRandom(`${seed}/${seller}/${rides.join('/')}`);
  const minutes = runs.reduce((sum, run) => sum + (run.arrivalMs - run.departureMs) / 60_000, 0);
  if (seller === 'renfe') return renfeFares(runs, minutes, random);
  const euros = Math.round(7 + minutes * (0.06 + random.next() * 0.3));
  const [code, ending] =
    seller === 'avlo'
      ? (['AVLO', random.pick([0, 0, 49, 99])] as const)
      : (['OUIGO', random.pick([0, 0, 90])] as const);
  return [{ seller, code, name: code, cents: euros * 100 + ending }];
}

function renfeFares(
  runs: readonly TrainRun[],
  minutes: number,
  random: Random,
): readonly TrainFare[] {
  const basic = 5 * Math.round(minutes * (2 + random.next() * 6));
  // The last seats in the best class cost a fortune, so that a price with a thousands separator occurs.
  const scarce = runs.some((run) => run.seatsLeft <= 2);
  const premium = scarce ? 100_000 + 5 * random.below(5000) : basic * 2 + 5 * random.below(900);
  const fares: readonly TrainFare[] = [
    { seller: 'renfe', code: 'BA00', name: 'Básico', cents: basic },
    { seller: 'renfe', code: 'EL00', name: 'Elige', cents: basic + 5 * (80 + random.below(300)) },
    { seller: 'renfe', code: 'PR00', name: 'Premium', cents: premium },
  ];
  const most = runs.some((run) => run.brand === 'AVLO') ? 2 : 3;
  return fares.slice(0, Math.min(most, random.pick([1, 2, 3, 3, 3])));
}
