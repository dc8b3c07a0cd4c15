import { countStepsOfEach, scaled } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { book } from './book.ts';
import { finder } from './finder.ts';

const isOurs = (url: string): boolean => /packages\/(stations|core)\/src\//.test(url);
const repeated = (text: string): string => text.repeat(100).slice(0, 100);
const texts = [
  ...['s', 'a b', 's s s s s'],
  ...['barclona madird sevlla ', 's a m b '].map(repeated),
];
/** A few for each word of a row that has a word of a common letter. */
const MOST_STEPS = 200_000;

/** Ways to ask for stations by a text. */
const questions = {
  suggest: (text) => book.suggest(text),
  'suggest, 100 of a country': (text) => book.suggest(text, { limit: 100, countries: ['DE'] }),
  'suggest, 100 near a point': (text) =>
    book.suggest(text, { limit: 100, near: { latitude: 48.85, longitude: 2.35 } }),
  find: (text) => book.find(text),
  'find, with the nearest': (text) => JSON.stringify(book.find(text)),
} as const satisfies Record<string, (text: string) => unknown>;

type Question = keyof typeof questions;
const names = scaled<readonly Question[]>({
  fast: ['suggest', 'find, with the nearest'],
  full: Object.keys(questions) as Question[],
});

test.each(names)(
  '%s takes a bounded number of steps for any text [linear-readers]',
  async (name) => {
    const run = questions[name];
    // Maps of ids and codes are made when they are needed first.
    run('sa');
    const steps = await countStepsOfEach(
      texts.map((text) => () => run(text)),
      isOurs,
    );
    for (const [place, text] of texts.entries()) {
      const count = steps[place] ?? Number.POSITIVE_INFINITY;
      if (count > MOST_STEPS) expect.fail(`${name}: ${text} takes ${count} steps`);
    }
  },
);

test('suggest() looks at nothing but the answer after one letter, however many are wanted', () => {
  const { rows, steps } = finder.find('s', { limit: 100 });
  expect([rows.length, steps]).toEqual([100, 100]);
  // The same that a look at all rows finds.
  expect(rows).toEqual(finder.find('s', { limit: 100, accepts: () => true }).rows);
});

test.each([
  ['estacion de atocha', ['atocha']],
  ['gare de lyon part dieu', ['lyon', 'part', 'dieu']],
])('%s is found without its fillers, and nothing is corrected', (text, words) => {
  const found = finder.find(text, { limit: 5 });
  expect(found).toMatchObject({ words, isCorrected: false });
  expect(found.rows.length).toBeGreaterThan(0);
  // Fewer than a look at the words that are like them.
  expect(found.steps).toBeLessThan(1000);
});

test.each(['m', 'p'])(
  'suggest() looks at the rows of the rarest word alone, beside %s',
  (letter) => {
    const { steps, rows } = finder.find('atocha', { limit: 5 });
    expect(rows.length).toBeGreaterThan(0);
    for (const text of [`atocha ${letter}`, `${letter} atocha`]) {
      expect(finder.find(text, { limit: 5 }).steps, text).toBe(steps);
    }
  },
);

test('suggest() compares a row that is worse than all kept with the last of them alone', async () => {
  const [one, eight] = await countStepsOfEach(
    [1, 8].map((limit) => () => finder.find('s', { limit, accepts: () => true })),
    isOurs,
  );
  // Rows by the thousand: a place in the list of eight would take each three comparisons more.
  expect(eight).toBeLessThan(1.1 * (one ?? 0));
});

test('find() looks for the nearest names when they are read, and once', async () => {
  const text = repeated('barclonamadird');
  book.find(text);
  const isNear = (url: string): boolean => url.endsWith('/near-words.ts');
  let match = book.find(text);
  const find = () => {
    match = book.find(text);
  };
  const read = () => (match.kind === 'unknown' ? match.nearest : undefined);
  const [found, first = 0, again] = await countStepsOfEach([find, read, read], isNear);
  expect([found, again]).toEqual([0, 0]);
  expect(first).toBeGreaterThan(10);
});

test('find() gives the nearest names as plain data', () => {
  const match = book.find('barclona');
  expect(match).toMatchObject({
    kind: 'unknown',
    nearest: [{ id: 'city:es:barcelona' }, {}, {}, {}, {}],
  });
  expect(JSON.parse(JSON.stringify(match))).toEqual(structuredClone(match));
});
