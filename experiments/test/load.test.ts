import { expect, test } from 'vitest';
import { loadFlags } from '../src/scenarios/load-flags.ts';
import { loadChart, loadCsv, loadLine } from '../src/scenarios/load-output.ts';
import { loadVerdict } from '../src/scenarios/load-verdict.ts';
import type { LoadRow } from '../src/scenarios/run-load.ts';
import { scenarioOf } from '../src/scenarios/scenario.ts';

const row = (second: number, some: Partial<LoadRow> = {}): LoadRow => ({
  second,
  sent: 10,
  answered: 10,
  failed: 0,
  p50Ms: 5,
  p99Ms: 9,
  loopP99Ms: 1,
  memory: { 'server 7': 100 * 2 ** 20 },
  ...some,
});
const rows = (of: (second: number) => Partial<LoadRow>): LoadRow[] =>
  Array.from({ length: 20 }, (_, second) => row(second, of(second)));

test('scenarioOf(): load is half as much again for half the time, soak twice the time', () => {
  const asked = { rate: 200, durationSeconds: 60 };
  expect(scenarioOf('stress', asked)).toEqual({ perSecond: 200, seconds: 60 });
  expect(scenarioOf('load', asked)).toEqual({ perSecond: 300, seconds: 30 });
  expect(scenarioOf('soak', asked)).toEqual({ perSecond: 200, seconds: 120 });
});

test('loadFlags() reads the flags of the demo though they begin with a dash', () => {
  const flags = loadFlags(['--scenario', 'soak', '--flags', '--accept socket --workers 2']);
  expect(flags.demoFlags).toEqual(['--accept', 'socket', '--workers', '2']);
  expect(flags).toMatchObject({ scenario: 'soak', rate: 200, durationSeconds: 60, plain: false });
});

test.each([
  [
    ['--scenario', 'storm'],
    "Cannot load: --scenario must be one of stress, load, soak, overload, got 'storm'",
  ],
  [[], 'Cannot load: --scenario must be given, one of stress, load, soak, overload'],
  [
    ['--scenario', 'sock'],
    "Cannot load: --scenario must be one of stress, load, soak, overload, got 'sock'; did you mean soak?",
  ],
  [
    ['--scenario', 'load', '--rate', '0'],
    "Cannot load: --rate must be an integer from 1 to 100000, got '0'",
  ],
  [
    ['--scenario', 'load', '--duration', '1.5'],
    "Cannot load: --duration must be an integer from 1 to 86400, got '1.5'",
  ],
  [['--scenario', 'load', '--path', 'x'], "Cannot load: --path must be a path, got 'x'"],
  [['--quickly'], 'Cannot load: unknown flag --quickly; --help lists the flags'],
])('loadFlags() refuses %j', (argv, message) => {
  expect(() => loadFlags(argv)).toThrow(message);
});

test('loadVerdict() finds nothing in a steady load', () => {
  const { errors, memoryDrift, p99Drift, lines } = loadVerdict(rows(() => ({})));
  expect([errors, memoryDrift, p99Drift]).toEqual([0, 0, 0]);
  expect(lines[0]).toBe('errors   none (200 answered)');
});

test('loadVerdict() finds errors, memory that grows and latency that does', () => {
  const verdict = loadVerdict(
    rows((second) => ({
      failed: second === 3 ? 2 : 0,
      p99Ms: 10 + second,
      memory: { 'server 7': 100 + 10 * second },
    })),
  );
  expect(verdict.errors).toBe(2);
  expect(verdict.memoryDrift).toBeGreaterThan(0.5);
  expect(verdict.lines.join()).toMatch(/memory {3}\+\d+ %.*it grows.*p99 {6}\+\d+ %/);
});

test('loadVerdict() passes over seconds in which the server did not tell', () => {
  const { memoryDrift } = loadVerdict(rows((second) => (second % 2 ? { memory: {} } : {})));
  expect(memoryDrift).toBe(0);
});

test('a second is a line, and a row of CSV with a column for each process', () => {
  expect(loadLine(row(0), 20)).toContain(' 1/20 s  sent 10  answered 10  failed 0');
  const csv = loadCsv([row(0), row(1, { memory: { 'task 8': 5 }, p99Ms: Number.NaN })]);
  expect(csv.split('\n')).toEqual([
    'second,sent,answered,failed,p50Ms,p99Ms,loopP99Ms,server 7 bytes,task 8 bytes',
    '0,10,10,0,5,9,1,104857600,',
    '1,10,10,0,5,,1,,5',
    '',
  ]);
});

test('loadChart() has panels for requests, latency, event loop and memory', () => {
  const { values } = loadChart([row(0)], 'soak');
  expect(new Set(values.map(({ panel }) => panel)).size).toBe(4);
});
