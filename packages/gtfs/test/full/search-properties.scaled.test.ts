import { CarrierError, type Journey, type Leg } from '@ticketing/core';
import { scaled } from '@ticketing/test-kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GtfsError, readGtfs } from '../../src/index.ts';
import { ask, carrierOf, stationOf } from '../ask.ts';
import { naiveSearch, type Point } from '../naive-search.ts';
import { filesOf, randomCases } from '../random-feeds.ts';
import { zipFeed } from '../zip-feed.ts';

const STATIONS = 4;

/** From door to door. */
function pointOf({ departure, arrival, transfers, legs }: Journey): Point {
  const [first, last] = [legs[0], legs.at(-1)];
  const msOf = (leg: Leg | undefined): number =>
    leg?.kind === 'transfer' ? leg.minutes * 60_000 : 0;
  return [departure.ms - msOf(first), arrival.ms + msOf(last), transfers + 1];
}

test('answers are those of a naive search, also on days of clock changes', async () => {
  const counts = { found: 0, changes: 0, stays: 0 };
  const property = fc.asyncProperty(
    randomCases,
    fc.record({
      from: fc.nat({ max: 3 }),
      by: fc.integer({ min: 1, max: 3 }),
      maxRides: fc.integer({ min: 1, max: 4 }),
      maxHours: fc.constantFrom(4, 24),
    }),
    async ({ feed: model, date, zone }, { from, by, maxRides, maxHours }) => {
      const changeMinutes = model.changeSeconds / 60;
      const feed = await readGtfs(zipFeed(filesOf(model)), { changeMinutes }).catch((error) => {
        // Days on which nothing ever runs.
        if (GtfsError.is(error) && error.code === 'ERR_GTFS_EMPTY') return undefined;
        throw error;
      });
      if (feed === undefined) return;
      expect(feed.leftOut).toEqual({});
      const to = (from + by) % STATIONS;
      const [origin, destination] = [stationOf(`p${from}`, zone), stationOf(`p${to}`, zone)];
      const carrier = carrierOf(feed, { maxTransfers: maxRides - 1, maxHours });
      // Where nothing calls, no way begins or ends.
      const called = new Set(model.trips.flatMap(({ calls }) => calls.map(({ stop }) => stop)));
      const stopsAt = (station: number) =>
        [...called].filter((stop) => model.stationOf[stop] === station);
      const expected = naiveSearch(model, {
        origins: stopsAt(from),
        destinations: stopsAt(to),
        date,
        zone,
        maxRides,
        maxHours,
      });
      const answer = await ask(carrier, { origin, destination, date }).catch((error) => {
        const codes = ['NOT_SERVED', 'DATE_OUT_OF_RANGE'];
        if (CarrierError.is(error) && codes.includes(error.code))
          return { journeys: [], filtered: 0 };
        throw error;
      });
      expect((answer.filtered ?? 0) + answer.journeys.length).toBe(expected.length);
      if (answer.filtered === undefined) {
        const points = answer.journeys
          .map(pointOf)
          .sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
        expect(points).toEqual(expected);
      }
      counts.found += expected.length;
      counts.changes += expected.filter(([, , rides]) => rides > 1).length;
      counts.stays += answer.journeys.filter(({ legs }) =>
        legs.some((leg) => leg.kind === 'ride' && leg.sections),
      ).length;
    },
  );
  await fc.assert(property, { numRuns: scaled({ fast: 60, full: 10_000 }) });
  // The cases are about something.
  expect(counts.found).toBeGreaterThan(scaled({ fast: 20, full: 10_000 }));
  expect(counts.changes).toBeGreaterThan(scaled({ fast: 0, full: 1000 }));
  expect(counts.stays).toBeGreaterThan(scaled({ fast: -1, full: 5 }));
}, 600_000);
