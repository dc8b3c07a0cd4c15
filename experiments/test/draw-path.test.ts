import { expect, test } from 'vitest';
import { pathDrawer } from '../src/loading/draw-path.ts';

test('pathDrawer() draws the same for the same seed; by Zipf the first twice as often as the second', () => {
  const draws = (draw: 'uniform' | 'zipf', seed: number): string[] => {
    const drawn = pathDrawer(['/a', '/b'], { draw, seed });
    return Array.from({ length: 3000 }, drawn);
  };
  expect(draws('zipf', 7)).toEqual(draws('zipf', 7));
  expect(draws('zipf', 7)).not.toEqual(draws('zipf', 8));
  const share = (all: string[]) => all.filter((path) => path === '/a').length / all.length;
  expect(share(draws('zipf', 7))).toBeCloseTo(2 / 3, 1);
  expect(share(draws('uniform', 7))).toBeCloseTo(1 / 2, 1);
});
