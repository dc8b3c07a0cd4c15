import { expect, test } from 'vitest';
import { pathDrawer } from '../src/loading/draw-path.ts';
import { createProgress } from '../src/rounds/progress.ts';

test('createProgress() tells how far it is and how long is left at the pace so far, not at every step', () => {
  const lines: string[] = [];
  let time = 0;
  const progress = createProgress({ write: (text) => lines.push(text) }, () => time);
  progress.begin('02 cluster', 4);
  time = 1000;
  progress.step();
  time = 30_000;
  progress.step();
  time = 200_000;
  progress.end();
  expect(lines).toEqual([
    '02 cluster  0/4  starting\n',
    '02 cluster  2/4  30 s left\n',
    '02 cluster  2/4  3 min 20 s left\n',
  ]);
});

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
