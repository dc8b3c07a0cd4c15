import { expect, test } from 'vitest';
import { fillReport } from '../src/worms/worm-databases.ts';

/** What is written when a store is filled in quarters of a second. */
function written(count: number, isTTY: boolean): string {
  let [text, ms] = ['', 0];
  const report = fillReport({ isTTY, write: (more) => (text += more) }, () => ms);
  for (const part of [0.25, 0.5, 0.75, 1]) {
    ms += 250;
    report({ filled: count * part, count });
  }
  return text;
}

test('fillReport() on a terminal: a bar that grows, goes, and leaves a line', () => {
  expect(written(1_000_000, true).split('\r\u001b[K')).toEqual([
    '',
    '░░░░░░░░░░░░░░░░░░░░░░░░   0 %  worms  0/1,000,000  starting',
    '████████████░░░░░░░░░░░░  50 %  worms  500,000/1,000,000  0 s left',
    '██████████████████░░░░░░  75 %  worms  750,000/1,000,000  0 s left',
    '████████████████████████ 100 %  worms  1,000,000/1,000,000  done in 1 s',
    'Filled the store with 1,000,000 worms in 1.0 s\n',
  ]);
});

test('fillReport() elsewhere: one line, and none for up to 100,000', () => {
  expect(written(100_004, false)).toBe('Filled the store with 100,004 worms in 1.0 s\n');
  expect(written(100_000, false)).toBe('');
});
