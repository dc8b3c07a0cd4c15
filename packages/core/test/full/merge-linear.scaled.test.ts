import { createJourney, createLocalClock, type Journey, mergeJourneys } from '@ticketing/core';
import { countSteps, countStepsOfEach, scaled } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { createJourneyFeed } from '../../src/journeys/merge.ts';
import { sameStops } from '../../src/journeys/same-stops.ts';
import { barcelona, madrid, train } from '../trains.ts';

const clock = createLocalClock();
const SIX = clock.epoch('2026-12-01T06:00', 'Europe/Madrid');
const SECOND_MS = 1000;
const timeAt = (ms: number) => ({
  ms,
  iso: `${new Date(ms).toISOString().slice(0, 19)}+00:00[Europe/Madrid]`,
  zone: 'Europe/Madrid',
});

interface Parts {
  readonly source?: string;
  /** Seconds after six. */
  readonly from?: number;
  /** Seconds after seven. */
  readonly until?: number;
  readonly id?: string;
  readonly number?: string;
  readonly brand?: string;
  readonly operator?: string;
  readonly operatingDay?: string;
  readonly rides?: number;
}

function journey({ source = 'a', from = 0, until = 0, id, rides = 1, ...ride }: Parts): Journey {
  const departure = timeAt(SIX + from * SECOND_MS);
  const arrival = timeAt(SIX + 3_600_000 + until * SECOND_MS);
  const legs = Array.from({ length: rides }, (_, index) => ({
    kind: 'ride' as const,
    origin: madrid.id,
    destination: barcelona.id,
    departure: index === 0 ? departure : arrival,
    arrival,
    ...ride,
  }));
  const made = createJourney({ source, legs, offers: [] });
  return id === undefined ? made : { ...made, id };
}

/** What one or two carriers can list so that each journey would be compared with many others. */
const growths = {
  'trains without numbers at one time, each of a brand': (i) => journey({ brand: `b${i}` }),
  'trains without numbers, each at a time of its own within minutes': (i) =>
    journey({ from: i % 120, until: Math.floor(i / 120) }),
  'one train without a number, again and again': () => journey({}),
  'one train with a number, again and again': () => journey({ number: '1' }),
  'trains of one id on as many days': (i) =>
    journey({ number: '1', id: 'j-1', operatingDay: `day ${i}` }),
  'trains of one id, 11 minutes apart': (i) =>
    journey({ number: '1', id: 'j-1', operatingDay: '2026-12-01', from: i * 660, until: i * 660 }),
  'trains of one id without numbers': (i) => journey({ id: 'j-1', brand: `b${i}` }),
  'trains with brand and operator, or with an operator alone': (i) =>
    journey(i % 2 ? { brand: `b${i}`, operator: `o${i}` } : { operator: `p${i}` }),
  'trains with numbers, and of another carrier without': (i) =>
    journey({ from: i % 60, ...(i % 2 ? { number: `${i}` } : { source: 'b' }) }),
  'trains of a brand each, and of another carrier without': (i) =>
    journey(i % 2 ? { brand: `b${i}` } : { source: 'b' }),
  'trains of two carriers at many times, none the same': (i) =>
    journey({ source: i % 2 ? 'a' : 'b', until: i * 121 }),
  'trains after midnight, whose days carriers do not give': (i) =>
    journey({ number: `${i >> 1}`, operatingDay: i % 2 ? '2026-11-30' : '2026-12-01' }),
  'journeys of three rides, which leave out what others have': (i) => {
    const { legs, ...rest } = journey({ rides: 3 });
    const facts = legs.map((leg, ride) => ({
      ...leg,
      ...((i >> (2 * ride)) % 2 ? { brand: `b${i}` } : {}),
      ...((i >> (2 * ride + 1)) % 2 ? { operator: `o${i}` } : {}),
    }));
    return { ...rest, id: `j-${i}`, legs: facts };
  },
} satisfies Readonly<Record<string, (index: number) => Journey>>;
const some = (make: (index: number) => Journey, length: number): Journey[] =>
  Array.from({ length }, (_, index) => make(index));
const isOurs = (url: string): boolean => url.includes('packages/core/src/');

type Growth = keyof typeof growths;
const names = scaled<readonly Growth[]>({
  // One of each way in which journeys are compared.
  fast: [
    'trains without numbers at one time, each of a brand',
    'trains of one id without numbers',
    'trains with numbers, and of another carrier without',
    'trains of two carriers at many times, none the same',
    'trains after midnight, whose days carriers do not give',
  ],
  full: Object.keys(growths) as Growth[],
});

test.each(names)(
  'mergeJourneys() of twice as many takes at most 2.3 times the steps: %s [linear-readers]',
  async (name) => {
    const make: (index: number) => Journey = growths[name];
    const lists = [some(make, 600), some(make, 1200)];
    const [small = 0, large = Number.POSITIVE_INFINITY] = await countStepsOfEach(
      lists.map((list) => () => mergeJourneys(list)),
      isOurs,
    );
    expect(small).toBeGreaterThan(600);
    expect(large / small).toBeLessThan(2.3);
  },
);

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

test('createJourneyFeed() merges an answer in steps of known and new journeys, however the list grew', async () => {
  const answers = some((i) => journey({ brand: `b${i}` }), 600);
  const feed = createJourneyFeed('departure');
  feed.add(answers);
  const steps = await countSteps(() => feed.add([journey({ source: 'b', number: '1' })]), isOurs);
  expect(steps / 600).toBeLessThan(300);
});

// More than the arguments that one call may have.
test('createJourneyFeed() takes an answer of 130,000 journeys', () => {
  const one = train({ number: '1' });
  const feed = createJourneyFeed('departure');
  const many = Array.from({ length: 130_000 }, (_, index) => ({ ...one, id: `j-${index}` }));
  expect(feed.add(many).journeys).toHaveLength(130_000);
  expect(feed.found).toBe(130_000);
});
