import { expect, test } from 'vitest';
import { bar, createProgress } from '../src/index.ts';

function recorded(isTTY: boolean, columns = 80) {
  const lines: string[] = [];
  const clock = { ms: 0 };
  const output = { write: (text: string) => lines.push(text), isTTY, columns };
  return { lines, clock, progress: createProgress(output, () => clock.ms) };
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

test('bar() clips what is no share', () => {
  expect([bar(-1), bar(Number.NaN), bar(2)].map((text) => text.slice(-5))).toEqual([
    '  0 %',
    '  0 %',
    '100 %',
  ]);
});
