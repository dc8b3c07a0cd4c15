import { countStepsOfEach } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { book } from './book.ts';

export const isOurs = (url: string): boolean => /packages\/(stations|core)\/src\//.test(url);
export const repeated = (text: string): string => text.repeat(100).slice(0, 100);
const texts = [
  ...['s', 'a b', 's s s s s'],
  ...['barclona madird sevlla ', 's a m b '].map(repeated),
];
/** A few for each word of a row that has a word of a common letter. */
const MOST_STEPS = 200_000;

/** Ways to ask for stations by a text. */
export const questions = {
  suggest: (text) => book.suggest(text),
  'suggest, 100 of a country': (text) => book.suggest(text, { limit: 100, countries: ['DE'] }),
  'suggest, 100 near a point': (text) =>
    book.suggest(text, { limit: 100, near: { latitude: 48.85, longitude: 2.35 } }),
  find: (text) => book.find(text),
  'find, with the nearest': (text) => JSON.stringify(book.find(text)),
} as const satisfies Record<string, (text: string) => unknown>;

export function testSteps(names: readonly (keyof typeof questions)[]): void {
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
}
