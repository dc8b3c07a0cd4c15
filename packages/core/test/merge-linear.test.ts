import { countSteps } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { createJourneyFeed } from '../src/journeys/merge.ts';
import { isOurs, journey, some, testGrowths } from './merge-linear-cases.ts';

// One of each way in which journeys are compared; the others are in `test/full`.
testGrowths([
  'trains without numbers at one time, each of a brand',
  'trains of one id without numbers',
  'trains with numbers, and of another carrier without',
  'trains of two carriers at many times, none the same',
]);

test('createJourneyFeed() merges an answer in steps of what is known and new, however it grew', async () => {
  const answers = some((i) => journey({ brand: `b${i}` }), 600);
  const feed = createJourneyFeed('departure');
  feed.add(answers);
  const steps = await countSteps(() => feed.add([journey({ source: 'b', number: '1' })]), isOurs);
  expect(steps / 600).toBeLessThan(300);
});
