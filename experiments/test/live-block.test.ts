import { expect, test } from 'vitest';
import { createLiveBlock, sparkline } from '../src/scenarios/live-block.ts';
import { loadBlock, loadTable } from '../src/scenarios/load-output.ts';
import type { LoadRow } from '../src/scenarios/run-load.ts';

/** Enough of a terminal to say what it shows: lines, the cursor's line, whether the cursor is seen. */
function terminal(columns: number) {
  const rows: string[] = [''];
  let at = 0;
  let hasCursor = true;
  const commands: Readonly<Record<string, (count: number) => void>> = {
    A: (count) => {
      at -= count;
    },
    K: () => {
      rows[at] = '';
    },
    l: () => {
      hasCursor = false;
    },
    h: () => {
      hasCursor = true;
    },
  };
  return {
    columns,
    write(text: string) {
      const visible = text.replaceAll('\u001B', '^');
      for (const [all, count, command = ''] of visible.matchAll(/\^\[\??(\d*)([A-Zlh])|[^^\r]/g)) {
        if (command !== '') commands[command]?.(Number(count));
        else if (all === '\n') rows[++at] ??= '';
        else rows[at] += all;
      }
    },
    shown: () => rows.filter((row) => row !== ''),
    hasCursor: () => hasCursor,
  };
}

const lines = (...texts: string[]) => texts.map((text) => ({ text }));

test('createLiveBlock() draws over its lines, cuts them at the width, and hides the cursor until its end', () => {
  const screen = terminal(8);
  screen.write('before\n');
  const block = createLiveBlock(screen);
  block.draw(lines('one', 'a line that is too long', 'three'));
  expect(screen.shown()).toEqual(['before', 'one', 'a line ', 'three']);
  expect(screen.hasCursor()).toBe(false);
  block.draw(lines('1', '2'));
  expect(screen.shown()).toEqual(['before', '1', '2']);
  block.draw(lines('1', '2', '3', '4'));
  block.end();
  block.end();
  expect(screen.shown()).toEqual(['before', '1', '2', '3', '4']);
  expect(screen.hasCursor()).toBe(true);
});

test('sparkline() scales to the largest, and leaves out what is not known', () => {
  expect(sparkline([0, 5, Number.NaN, 10])).toBe('▁▅ █');
  expect(sparkline([0, 0])).toBe('▁▁');
  expect(sparkline([])).toBe('');
});

const row = (second: number, failed = 0): LoadRow => ({
  second,
  sent: 10,
  answered: 10 - failed,
  failed,
  p50Ms: 5,
  p99Ms: 9 + second,
  loopP99Ms: Number.NaN,
  memory: { 'server 7': 100 * 2 ** 20 },
});

test('loadBlock() has the share, the last second, a minute of sparkline, and failures in a colour', () => {
  const title = { title: 'soak', seconds: 200 };
  const rows = Array.from({ length: 100 }, (_, second) => row(second));
  const block = loadBlock(rows, title);
  expect(block.map(({ text }) => text)).toEqual([
    'soak',
    '████████████░░░░░░░░░░░░  50 %  100/200 s  100 s left',
    `answered         10.0 /s  ${'█'.repeat(60)}`,
    `p50              5.00 ms  ${'█'.repeat(60)}`,
    expect.stringMatching(/^p99 {15}108 ms {2}[▁-█]{60}$/u),
    `loop p99            - ms  ${' '.repeat(60)}`,
    `server 7         100 MiB  ${'█'.repeat(60)}`,
    'failed      none',
  ]);
  expect(loadBlock([row(0, 2)], title).at(-1)).toMatchObject({ text: 'failed      2' });
  expect(loadBlock([], title)).toHaveLength(7);
});

test('loadTable() has the lowest, the median and the highest second', () => {
  const lines = loadTable([row(0), row(1, 4), row(2)]);
  expect(lines.find((line) => line.includes('failed/s'))).toMatch(
    /failed\/s +\| +0.* +\| +0.* +\| +4/,
  );
  expect(lines.find((line) => line.includes('event loop'))).toContain('unknown');
});
