import { expect, test } from 'vitest';
import { createJourneyFeed } from '../../src/journeys/merge.ts';
import { growths, testGrowths } from '../merge-linear-cases.ts';
import { train } from '../trains.ts';

testGrowths(Object.keys(growths) as (keyof typeof growths)[]);

// More than the arguments that one call may have.
test('createJourneyFeed() takes an answer of 130,000 journeys', () => {
  const journey = train({ number: '1' });
  const feed = createJourneyFeed('departure');
  const many = Array.from({ length: 130_000 }, (_, index) => ({ ...journey, id: `j-${index}` }));
  expect(feed.add(many).journeys).toHaveLength(130_000);
  expect(feed.found).toBe(130_000);
});
