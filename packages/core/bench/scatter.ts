import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { type Measured, measureRounds } from '@ticketing/bench-kit';
import {
  type Carrier,
  type CarrierContext,
  type CarrierQuery,
  createSearch,
  EMISSION_FACTORS,
  type Journey,
  type JourneyCo2,
} from '@ticketing/core';
import { createTimetable, now, query } from './timetable.ts';

const resolved: CarrierQuery = { ...query, passengers: [{}] };
const context: CarrierContext = {
  signal: new AbortController().signal,
  deadline: Number.POSITIVE_INFINITY,
  http: { send: () => Promise.reject(new Error('no network')) },
};

const RADIANS_PER_DEGREE = Math.PI / 180;

/** What one writes for the emissions of direct trains between the stations of the query. */
function emissionsOf(): JourneyCo2 {
  const { origin: a, destination: b } = query;
  const sine = (degrees: number): number => Math.sin((degrees * RADIANS_PER_DEGREE) / 2);
  const cosine = (degrees: number): number => Math.cos(degrees * RADIANS_PER_DEGREE);
  const chord =
    sine(b.latitude - a.latitude) ** 2 +
    cosine(a.latitude) * cosine(b.latitude) * sine(b.longitude - a.longitude) ** 2;
  const km = 2 * 6371 * Math.asin(Math.min(1, Math.sqrt(chord)));
  const { detour, gramsPerKm } = EMISSION_FACTORS;
  return { grams: Math.round(km * detour * gramsPerKm.train), estimated: true };
}

/** What one writes without the package: no deadline, no failure, no check, no merging. */
async function bareScatter(carriers: readonly Carrier[]): Promise<Journey[]> {
  const answers = await Promise.all(
    carriers.map(async (carrier) =>
      carrier.normalise(await carrier.request(resolved, context), resolved),
    ),
  );
  const journeys: Journey[] = [];
  return journeys
    .concat(...answers.map((answer) => answer.journeys))
    .map((journey) => ({ ...journey, co2: emissionsOf() }))
    .sort((a, b) => a.departure.ms - b.departure.ms || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

/** One case of {@link benchScatter}. */
export interface ScatterCase {
  readonly title: string;
  readonly measured: readonly Measured[];
}

/**
 * Measures searches against the bare scatter of the same carriers: 10 of 50 journeys, and 6 that answer a busy day. That one comes
 * last: the more objects are alive, the more a collection costs the others.
 */
export async function benchScatter(rounds: number): Promise<ScatterCase[]> {
  const measure = async (title: string, carriers: Carrier[]) => {
    const search = createSearch({ carriers, now });
    const contenders = [
      { name: 'bare `Promise.all` + concat + emissions + sort', work: () => bareScatter(carriers) },
      { name: '`search()`', work: () => search.search(query) },
    ];
    return { title, measured: await measureRounds(contenders, { rounds, repeats: 20 }) };
  };
  const checked = async (title: string, carriers: Carrier[]) => {
    const { journeys } = await createSearch({ carriers, now }).search(query);
    deepStrictEqual(journeys, await bareScatter(carriers));
    return measure(title, carriers);
  };

  const shared = createTimetable({ carriers: 10, each: 50, sellers: 2 });
  const { journeys } = await createSearch({ carriers: shared, now }).search(query);
  strictEqual(journeys.length, 250);
  strictEqual(journeys.flatMap(({ offers }) => offers).length, 1500);

  const distinct = createTimetable({ carriers: 10, each: 50, sellers: 1 });
  return [
    await checked(
      '8 carriers x 50 journeys',
      createTimetable({ carriers: 8, each: 50, sellers: 1 }),
    ),
    await checked('10 x 50', distinct),
    await measure('the same, each train sold by two', shared),
    await checked('6 x 300', createTimetable({ carriers: 6, each: 300, sellers: 1 })),
  ];
}
