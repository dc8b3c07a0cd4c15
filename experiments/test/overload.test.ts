import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { machine } from '@ticketing/bench-kit';
import { expect, test } from 'vitest';
import { type FloodAnswer, flood, floodResult } from '../src/overload/flood.ts';
import { type OverloadRow, searchQuestion } from '../src/overload/overload.ts';
import { overloadFlags } from '../src/overload/overload-flags.ts';
import { overloadChart, overloadLine, overloadReport } from '../src/overload/overload-report.ts';

const answer = (dueMs: number, some: Partial<FloodAnswer> = {}): FloodAnswer => ({
  dueMs,
  ms: 10,
  status: 200,
  complete: true,
  ...some,
});
const limits = { perSecond: 4, seconds: 1, limitMs: 100 };

test('floodResult() counts complete answers in time alone as good, over the time until the last answer', () => {
  const result = floodResult(
    [
      answer(0),
      answer(250, { ms: 101 }),
      answer(500, { complete: false }),
      answer(750, { status: 503, complete: false, ms: 2 }),
      answer(1000, { status: 0, complete: false, ms: 1000 }),
    ],
    limits,
  );
  expect(result).toMatchObject({ offered: 4, goodput: 0.5, good: 0.2, refused: 0.2 });
  expect(result.lateOrPartial).toBeCloseTo(0.4);
  expect(result).toMatchObject({ unanswered: 0.2, p99Ms: 101, refusedP50Ms: 2, lastMs: 1000 });
});

test('flood() sends at its rate, tells refusals from answers, and sees when the server is as before', async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.statusCode = asked % 2 === 0 && asked <= 20 ? 503 : 200;
    response.end('{"complete":true}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const result = await flood({
    url: `http://127.0.0.1:${port}`,
    paths: ['/a', '/b'],
    perSecond: 100,
    seconds: 0.2,
    limitMs: 60_000,
    mark: '"complete":true',
    idleMs: 60_000,
  });
  server.close();
  expect(asked).toBeGreaterThanOrEqual(20);
  expect(result.refused * asked).toBeGreaterThan(5);
  expect(result.good + result.refused).toBeCloseTo(1);
  expect(result.recoveryMs).toBeLessThan(30_000);
});

test('a search is asked for forty days to come', () => {
  const { paths } = searchQuestion(Date.UTC(2030, 0, 31));
  expect(paths).toHaveLength(40);
  expect(paths[0]).toBe('/search?origin=Atocha&destination=Barcelona&date=2030-02-01');
});

test('overloadFlags() takes every combination, or those that are asked', () => {
  expect(overloadFlags(['--scenario', 'overload']).combinations).toHaveLength(12);
  const flags = overloadFlags(['--scenario=overload', '--accept', 'socket', '--ask', 'compute']);
  expect(flags.combinations.map(({ dispatch }) => dispatch)).toEqual([
    'in-process',
    'fork',
    'piscina',
  ]);
  expect(flags.questions).toEqual(['compute']);
  expect(flags.multiples).toEqual([1, 2, 4, 8]);
});

test.each([
  [
    ['--accept', 'door'],
    "Cannot load: --accept must be all, or some of single,cluster,socket,passthru, got 'door'",
  ],
  [
    ['--multiples', '1,x'],
    "Cannot load: --multiples must be a list, with commas, of which each is an integer from 1 to 64, got '1,x'",
  ],
])('overloadFlags() refuses %j', (argv, message) => {
  expect(() => overloadFlags(argv)).toThrow(message);
});

test('the report has a row for each combination, with an earlier run beside it', () => {
  const floods: OverloadRow['floods'] = [1, 8].map((multiple) => ({
    ...floodResult([answer(0), answer(500, { status: 503, ms: 2 })], limits),
    multiple,
    recoveryMs: 20,
  }));
  const row = { accept: 'single', dispatch: 'fork', question: '/q', rate: 2, idleMs: 5, floods };
  const results = { circumstances: { ...machine(), command: 'x', rounds: 1 }, rows: [row] };
  expect(overloadLine(row)).toContain('8x  goodput 50 %');
  expect(overloadReport(results, undefined).join('\n')).toMatch(
    /single, fork .* 2\.00 \| +50 % \| 50 %/,
  );
  expect(overloadReport(results, results).join('\n')).toContain('50 % → 50 %');
  expect(overloadChart(results, results).values.map(({ panel }) => panel)).toContain('/q, before');
});
