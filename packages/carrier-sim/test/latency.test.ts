import { expect, test } from 'vitest';
import { drawLatency } from '../src/server/carrier-routes.ts';
import { createRandom } from '../src/timetable/random.ts';
import { getAvlo, visitRenfe } from './call-wires.ts';
import { date, eventually, startedSim } from './started-sim.ts';

test('a fixed latency holds each call back', async () => {
  const sim = await startedSim({ plan: { renfe: { latency: { kind: 'fixed', ms: 80 } } } });
  const start = performance.now();
  const visit = visitRenfe(sim.url);
  await visit.generateId(await visit.open());
  expect(performance.now() - start).toBeGreaterThan(155);
});

test('a slower carrier answers after a faster one that was asked later', async () => {
  const sim = await startedSim({ plan: { renfe: { latency: { kind: 'fixed', ms: 300 } } } });
  const order: string[] = [];
  await Promise.all([
    visitRenfe(sim.url)
      .open()
      .then(() => order.push('renfe')),
    getAvlo(sim.url, date).then(() => order.push('avlo')),
  ]);
  expect(order).toEqual(['avlo', 'renfe']);
});

test('a client that leaves ends the wait', async () => {
  const sim = await startedSim({ plan: { avlo: { latency: { kind: 'fixed', ms: 600_000 } } } });
  const client = new AbortController();
  const answer = getAvlo(sim.url, date, { signal: client.signal });
  await eventually(() => expect(sim.requests().avlo.open).toBe(1));
  client.abort();
  await expect(answer).rejects.toThrow('aborted');
  await eventually(() => expect(sim.requests().avlo).toMatchObject({ aborted: 1, open: 0 }));
});

test('drawLatency() follows its plan and its random stream', () => {
  const draws = (latency: Parameters<typeof drawLatency>[0], key = 'a') => {
    const random = createRandom(key);
    return Array.from({ length: 5000 }, () => drawLatency(latency, random)).sort((a, b) => a - b);
  };
  expect(new Set(draws({ kind: 'fixed', ms: 7 }))).toEqual(new Set([7]));
  const random = draws({ kind: 'random' });
  expect(random.every((ms) => Number.isInteger(ms) && ms >= 0 && ms < 1000)).toBe(true);
  expect((random.at(-1) ?? 0) - (random[0] ?? 0)).toBeGreaterThan(900);
  const skewed = draws({ kind: 'lognormal', p50Ms: 100, p99Ms: 1000 });
  expect(skewed[2500]).toBeGreaterThan(90);
  expect(skewed[2500]).toBeLessThan(110);
  expect(skewed[4950]).toBeGreaterThan(750);
  expect(skewed[4950]).toBeLessThan(1350);
  expect(draws({ kind: 'random' }, 'a')).toEqual(random);
  expect(draws({ kind: 'random' }, 'b')).not.toEqual(random);
});
