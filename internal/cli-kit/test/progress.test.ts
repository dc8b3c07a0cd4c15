import { expect, test } from 'vitest';
import { bar, createProgress } from '../src/index.ts';

function recorded(isTTY: boolean, columns = 80, leavesBar = true) {
  const lines: string[] = [];
  const clock = { ms: 0 };
  const output = { write: (text: string) => lines.push(text), isTTY, columns };
  return { lines, clock, progress: createProgress({ output, now: () => clock.ms, leavesBar }) };
}

test('createProgress() writes a line every 10 s where there is no terminal, and the last one', () => {
  const { lines, clock, progress } = recorded(false);
  progress.begin('02 cluster', 4);
  clock.ms = 1000;
  progress.step();
  clock.ms = 30_000;
  progress.step();
  clock.ms = 200_000;
  progress.end();
  expect(lines).toEqual(['02 cluster  2/4  30 s left\n', '02 cluster  2/4  3 min 20 s left\n']);
});

test('createProgress() writes nothing for a run of less than 10 s where there is no terminal', () => {
  const { lines, clock, progress } = recorded(false);
  progress.begin('short', 1);
  clock.ms = 9_999;
  progress.step();
  progress.end();
  progress.end();
  expect(lines).toEqual([]);
});

test('createProgress() overwrites the line of a terminal 10 times per second at most, no wider than it', () => {
  const { lines, clock, progress } = recorded(true, 46);
  progress.begin('02 cluster', 4);
  for (let step = 0; step < 4; step++) {
    clock.ms += 60;
    progress.step();
  }
  progress.end();
  expect(lines).toEqual([
    '\r\u001B[K░░░░░░░░░░░░░░░░░░░░░░░░   0 %  02 cluster  0',
    '\r\u001B[K████████████░░░░░░░░░░░░  50 %  02 cluster  2',
    '\r\u001B[K████████████████████████ 100 %  02 cluster  4',
    '\r\u001B[K████████████████████████ 100 %  02 cluster  4\n',
  ]);
});

test('createProgress() counts many steps at once, makes room for other output, and can leave nothing', () => {
  const { lines, clock, progress } = recorded(true, 80, false);
  progress.begin('worms', 1_000_000);
  clock.ms = 1000;
  progress.step(250_000);
  progress.aside(() => lines.push('a row\n'));
  progress.step(250_000);
  progress.end();
  progress.end();
  expect(lines).toEqual([
    '\r\u001B[K░░░░░░░░░░░░░░░░░░░░░░░░   0 %  worms  0/1,000,000  starting',
    '\r\u001B[K██████░░░░░░░░░░░░░░░░░░  25 %  worms  250,000/1,000,000  3 s left',
    '\r\u001B[K',
    'a row\n',
    '\r\u001B[K████████████░░░░░░░░░░░░  50 %  worms  500,000/1,000,000  1 s left',
    '\r\u001B[K',
  ]);
});

test('bar() clips what is no share', () => {
  expect([bar(-1), bar(Number.NaN), bar(2)].map((text) => text.slice(-5))).toEqual([
    '  0 %',
    '  0 %',
    '100 %',
  ]);
});
