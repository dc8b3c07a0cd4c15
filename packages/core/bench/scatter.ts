import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { type Measured, measureRounds } from '@ticketing/bench-kit';
import {
  type Carrier,
  type CarrierContext,
  type CarrierQuery,
  createSearch,
  type Journey,
} from '@ticketing/core';
import { createTimetable, now, query } from './timetable.ts';

const resolved: CarrierQuery = { ...query, passengers: [{}] };
const context: CarrierContext = {
  signal: new AbortController().signal,
  deadline: Number.POSITIVE_INFINITY,
  http: { send: () => Promise.reject(new Error('no network')) },
};

/** What one writes without the package: no deadline, no failure, no merging. */
async function bareScatter(carriers: readonly Carrier[]): Promise<Journey[]> {
  const answers = await Promise.all(
    carriers.map(async (carrier) =>
      carrier.normalise(await carrier.request(resolved, context), resolved),
    ),
  );
  const journeys: Journey[] = [];
  return journeys
    .concat(...answers.map((answer) => answer.journeys))
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
      { name: 'bare `Promise.all` + concat + sort', work: () => bareScatter(carriers) },
      { name: '`search()`', work: () => search.search(query) },
    ];
    return { title, measured: await measureRounds(contenders, { rounds, repeats: 20 }) };
  };
  const checked = async (title: string, carriers: Carrier[]) => {
    const { journeys } = await createSearch({ carriers, now }).search(query);
    // The search adds emissions, which the rival does not know.
    const plain = journeys.map(({ co2: _, ...journey }) => journey);
    deepStrictEqual(plain, await bareScatter(carriers));
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
