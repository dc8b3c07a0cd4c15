import { countSteps } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { createRowFinder } from '../src/search/find-rows.ts';
import { buildWordIndex } from '../src/search/word-index.ts';
import { book, table } from './book.ts';

const isOurs = (url: string): boolean => /packages\/(stations|core)\/src\//.test(url);
const repeated = (text: string): string => text.repeat(100).slice(0, 100);
const texts = [
  ...['s', 'a b', 's s s s s'],
  ...['barclona madird sevlla ', 's a m b '].map(repeated),
];
/** A few for each word of a row that has a word of a common letter. */
const MOST_STEPS = 200_000;

test.each([
  ['suggest', (text: string) => book.suggest(text)],
  [
    'suggest, 100 of a country',
    (text: string) => book.suggest(text, { limit: 100, countries: ['DE'] }),
  ],
  [
    'suggest, 100 near a point',
    (text: string) =>
      book.suggest(text, { limit: 100, near: { latitude: 48.85, longitude: 2.35 } }),
  ],
  ['find', (text: string) => book.find(text)],
  ['find, with the nearest', (text: string) => JSON.stringify(book.find(text))],
])('%s takes a bounded number of steps for any text [linear-readers]', async (what, run) => {
  // Maps of ids and codes are made when they are needed first.
  run('sa');
  for (const text of texts) {
    const steps = await countSteps(() => run(text), isOurs);
    if (steps > MOST_STEPS) expect.fail(`${what}: ${text} takes ${steps} steps`);
  }
});

test('suggest() looks at nothing but the answer after one letter, however many are wanted', () => {
  const finder = createRowFinder(
    table,
    buildWordIndex(table, () => true),
  );
  const { rows, steps } = finder.find('s', { limit: 100 });
  expect([rows.length, steps]).toEqual([100, 100]);
  // The same that a look at all rows finds.
  expect(rows).toEqual(finder.find('s', { limit: 100, accepts: () => true }).rows);
});

test.each([
  ['estacion de atocha', ['atocha']],
  ['gare de lyon part dieu', ['lyon', 'part', 'dieu']],
])('%s is found without its fillers, and nothing is corrected', (text, words) => {
  const finder = createRowFinder(
    table,
    buildWordIndex(table, () => true),
  );
  const found = finder.find(text, { limit: 5 });
  expect(found).toMatchObject({ words, isCorrected: false });
  expect(found.rows.length).toBeGreaterThan(0);
  // Fewer than a look at the words that are like them.
  expect(found.steps).toBeLessThan(1000);
});

test.each(['m', 'p'])(
  'suggest() looks at the rows of the rarest word alone, beside %s',
  (letter) => {
    const finder = createRowFinder(
      table,
      buildWordIndex(table, () => true),
    );
    const { steps, rows } = finder.find('atocha', { limit: 5 });
    expect(rows.length).toBeGreaterThan(0);
    for (const text of [`atocha ${letter}`, `${letter} atocha`]) {
      expect(finder.find(text, { limit: 5 }).steps, text).toBe(steps);
    }
  },
);

test('suggest() compares a row that is worse than all kept with the last of them alone', async () => {
  const finder = createRowFinder(
    table,
    buildWordIndex(table, () => true),
  );
  const stepsOf = (limit: number) =>
    countSteps(() => finder.find('s', { limit, accepts: () => true }), isOurs);
  // Rows by the thousand: a place in the list of eight would take each three comparisons more.
  expect(await stepsOf(8)).toBeLessThan(1.1 * (await stepsOf(1)));
});

test('find() looks for the nearest names when they are read, and once', async () => {
  const text = repeated('barclonamadird');
  book.find(text);
  const isNear = (url: string): boolean => url.endsWith('/near-words.ts');
  let match = book.find(text);
  const found = await countSteps(() => {
    match = book.find(text);
  }, isNear);
  expect(found).toBe(0);
  const read = () => (match.kind === 'unknown' ? match.nearest : undefined);
  expect(await countSteps(read, isNear)).toBeGreaterThan(10);
  expect(await countSteps(read, isNear)).toBe(0);
});

test('find() gives the nearest names as plain data', () => {
  const match = book.find('barclona');
  expect(match).toMatchObject({
    kind: 'unknown',
    nearest: [{ id: 'city:es:barcelona' }, {}, {}, {}, {}],
  });
  expect(JSON.parse(JSON.stringify(match))).toEqual(structuredClone(match));
});
