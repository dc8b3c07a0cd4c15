import { expect, test } from 'vitest';
import { CLASS_WORDS, worms } from '../../src/worms/worm.ts';

test('classes are drawn uniformly', () => {
  const drawn = new Map<string, number>();
  const each = 400;
  for (const { class: word } of worms(1, CLASS_WORDS.length * each)) {
    drawn.set(word, (drawn.get(word) ?? 0) + 1);
  }
  // Pearson's statistic: the mean is the number of classes less one, six standard deviations are not met by chance.
  const freedom = CLASS_WORDS.length - 1;
  const distance = CLASS_WORDS.reduce(
    (sum, word) => sum + ((drawn.get(word) ?? 0) - each) ** 2 / each,
    0,
  );
  expect(Math.abs(distance - freedom)).toBeLessThan(6 * Math.sqrt(2 * freedom));
});
