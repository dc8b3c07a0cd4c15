import { countSteps, countStepsOfEach } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { createJourneyFeed } from '../src/journeys/merge.ts';
import { sameStops } from '../src/journeys/same-stops.ts';
import { isOurs, journey, some, testGrowths } from './merge-linear-cases.ts';

// One of each way in which journeys are compared; the others are in `test/full`.
testGrowths([
  'trains without numbers at one time, each of a brand',
  'trains of one id without numbers',
  'trains with numbers, and of another carrier without',
  'trains of two carriers at many times, none the same',
  'trains after midnight, whose days carriers do not give',
]);

test.each([
  ['at one place, all of one name', () => ({ name: 'One', latitude: 48, longitude: 9 })],
  ['in a row, 200 m apart', (i: number) => ({ name: 'One', latitude: 48 + i / 500, longitude: 9 })],
  ['far apart', (i: number) => ({ name: `${i}`, latitude: 40 + i / 100, longitude: i / 100 })],
])(
  'sameStops() of twice as many stops takes at most 2.3 times the steps: %s',
  async (_what, at) => {
    const lists = [600, 1200].map((length) =>
      Array.from({ length }, (_, index) => ({ id: `x:${index}`, ...at(index) })),
    );
    const [small = 0, large = Number.POSITIVE_INFINITY] = await countStepsOfEach(
      lists.map((list) => () => sameStops(list)),
      isOurs,
    );
    expect(small).toBeGreaterThan(600);
    expect(large / small).toBeLessThan(2.3);
  },
);

test('createJourneyFeed() merges an answer in steps of what is known and new, however it grew', async () => {
  const answers = some((i) => journey({ brand: `b${i}` }), 600);
  const feed = createJourneyFeed('departure');
  feed.add(answers);
  const steps = await countSteps(() => feed.add([journey({ source: 'b', number: '1' })]), isOurs);
  expect(steps / 600).toBeLessThan(300);
});
