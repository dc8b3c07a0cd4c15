import { expect, onTestFinished, test, vi } from 'vitest';
import { isFullScale, scaled } from '../src/index.ts';

const numbers = { fast: 4, full: 100 };

function setScale(scale: string | undefined): void {
  vi.stubEnv('TEST_SCALE', scale);
  onTestFinished(() => void vi.unstubAllEnvs());
}

test.each([
  [undefined, 4, false],
  ['fast', 4, false],
  ['full', 100, true],
])('scaled() returns the number of the scale that the runner sets: %s', (scale, number, isFull) => {
  setScale(scale);
  expect(scaled(numbers)).toBe(number);
  expect(isFullScale()).toBe(isFull);
});

test('scaled() refuses a scale that does not exist', () => {
  setScale('huge');
  expect(() => scaled(numbers)).toThrow(
    new RangeError('TEST_SCALE must be `fast` or `full`, got `huge`'),
  );
});
