import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { startCarrierSim } from '../src/index.ts';
import { createRequestLog } from '../src/server/request-log.ts';
import { getAvlo, searchOuigo, searchRenfe } from './call-wires.ts';
import { date, startedSim } from './started-sim.ts';

test('attempts count each search by its key, also searches that fail', async () => {
  const sim = await startedSim();
  const madridBarcelona = `7160000-7171801 ${date}`;
  await searchRenfe(sim.url, { origin: '60000', destination: '71801', date });
  sim.setPlan('renfe', { fault: { kind: 'throttled' } });
  await searchRenfe(sim.url, { origin: '60000', destination: '71801', date });
  await searchRenfe(sim.url, { origin: '71801', destination: '51003', date });
  await searchOuigo(sim.url, { origin: 'MAD', destination: 'BCN', date });
  sim.setPlan('avlo', { fault: { kind: 'error' } });
  await getAvlo(sim.url, date);
  await getAvlo(sim.url, date);
  const { renfe, ouigo, avlo } = sim.requests();
  expect(renfe.attempts).toEqual({ [madridBarcelona]: 2, [`7171801-7151003 ${date}`]: 1 });
  expect(ouigo.attempts).toEqual({ [madridBarcelona]: 1 });
  expect(avlo.attempts).toEqual({ [date]: 2 });
});

test('attempts of a carrier of your own are counted by method, path and body', async () => {
  await using sim = await startCarrierSim({ carriers: { night: () => ({}) } });
  sim.setPlan('night', { latency: { kind: 'fixed', ms: 0 } });
  const post = (body: string) => fetch(`${sim.url}/night/search?x=1`, { method: 'POST', body });
  await post('a');
  await post('a');
  await post('b');
  await fetch(`${sim.url}/night`);
  expect(sim.requests().night.attempts).toEqual({
    'POST /search?x=1 a': 2,
    'POST /search?x=1 b': 1,
    'GET /': 1,
  });
});

test('attempts forget the least recent search, and cut long keys', () => {
  const log = createRequestLog(['night'], () => 0);
  for (let index = 0; index < 1000; index++) log.search('night', `${index}`);
  log.search('night', '0');
  log.search('night', 'x'.repeat(500));
  log.search('night', '__proto__');
  log.search('none', 'ignored');
  const attempts = log.counts()['night']?.attempts ?? {};
  expect(Object.keys(attempts)).toHaveLength(1000);
  expect([attempts['0'], attempts['1'], attempts['2'], attempts['3']]).toEqual([
    2,
    undefined,
    undefined,
    1,
  ]);
  expect(attempts['x'.repeat(200)]).toBe(1);
  expect(Object.hasOwn(attempts, '__proto__')).toBe(true);
});

test('perSecond counts the arrivals of the last 60 seconds of the clock, this one last', () => {
  let ms = 1_000_000;
  const log = createRequestLog([], () => ms);
  const arrive = () => log.arrive('avlo', new EventEmitter() as unknown as ServerResponse);
  const counts = () => log.counts()['avlo']?.perSecond ?? [];
  arrive();
  arrive();
  expect(counts()).toHaveLength(60);
  expect(counts().at(-1)).toBe(2);
  ms += 3000;
  arrive();
  expect(counts().slice(-4)).toEqual([2, 0, 0, 1]);
  ms += 56_999;
  expect(counts()[0]).toBe(2);
  ms += 1;
  expect(counts()[0]).toBe(0);
  ms += 3_600_000;
  expect(counts().every((each) => each === 0)).toBe(true);
  ms = 0;
  arrive();
  expect(counts().at(-1)).toBe(1);
});
