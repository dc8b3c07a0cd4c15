import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { benchFlags, betweenMarks, circumstances, machine, report } from '../src/index.ts';

test('betweenMarks() replaces what stands there, as it is', () => {
  const text = 'a\n<!-- results -->\nold\n<!-- /results -->\nz';
  const replaced = betweenMarks(text, { name: 'results', lines: ['$& new'] });
  expect(replaced).toBe('a\n<!-- results -->\n$& new\n<!-- /results -->\nz');
});

test('report() prints, and writes between the marks unless it was a look', () => {
  const folder = mkdtempSync(join(tmpdir(), 'report-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = pathToFileURL(join(folder, 'README.md'));
  writeFileSync(file, '<!-- bench -->\n<!-- /bench -->\n');
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => printed.mockRestore());
  report(file, ['a', 'b'], { quick: true });
  expect(readFileSync(file, 'utf8')).toBe('<!-- bench -->\n<!-- /bench -->\n');
  report(file, ['a', 'b'], { quick: false });
  expect(readFileSync(file, 'utf8')).toBe('<!-- bench -->\na\nb\n<!-- /bench -->\n');
  expect(printed.mock.calls).toEqual([['a\nb\n'], ['a\nb\n']]);
});

test('circumstances() tells machine, day, command and how long was measured', () => {
  const { cores, processor, node, date } = machine();
  const where = `${cores} cores, ${processor}, Node ${node}, ${date}, \`pnpm bench\` (as built): `;
  expect(circumstances('pnpm bench', { rounds: 3 })).toBe(`${where}3 interleaved rounds, medians.`);
  expect(circumstances('pnpm bench', { rounds: 3, sliceMs: 20 })).toBe(
    `${where}3 interleaved rounds, slices of 20 ms, medians.`,
  );
  expect(circumstances('pnpm bench', { rounds: 3, seconds: 5 })).toBe(
    `${where}3 interleaved rounds of 5 s, medians.`,
  );
});

test('benchFlags() has the lengths of a whole run, shorter ones for a look, and what is asked', () => {
  const whole = { rounds: 9, sliceMs: 100 };
  expect(benchFlags(whole, { args: [] })).toEqual({ ...whole, quick: false });
  expect(benchFlags(whole, { args: ['--', '--quick', '--rounds', '4'] })).toEqual({
    quick: true,
    rounds: 4,
    sliceMs: 25,
  });
  expect(benchFlags(whole, { args: ['--slice-ms', '7'] }).sliceMs).toBe(7);
  const look = benchFlags(whole, { quickLengths: { sliceMs: 50 }, args: ['--quick'] });
  expect(look).toEqual({ quick: true, rounds: 2, sliceMs: 50 });
  const { only, cells } = benchFlags(whole, {
    texts: { only: 'some', cells: 'some' },
    args: ['--only', 'x'],
  });
  expect([only, cells]).toEqual(['x', undefined]);
});
