import { lives } from '@ticketing/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import { startLoader } from '../../src/loading/loader.ts';
import { createPrograms } from '../../src/programs/programs.ts';
import { startCarriers } from '../../src/programs/start-carriers.ts';

test('a program is asked by a loader of its own, and nothing is left of both', async () => {
  const programs = createPrograms();
  const loader = startLoader();
  onTestFinished(programs.close);
  onTestFinished(loader.close);
  const carriers = await startCarriers(programs, { latencyMs: 0 });
  const { pid, url } = await programs.start(
    new URL('../../01-one-child-per-carrier/ways/ways-server.ts', import.meta.url),
    ['--way', 'child-per-carrier'],
    { env: { CARRIERS_URL: carriers.url } },
  );
  const sample = await loader.run({
    url,
    clients: 2,
    ms: 100,
    reuse: true,
    paths: ['/wait?ms=1'],
    beside: { path: '/healthz', perSecond: 100 },
  });
  expect(sample.failed).toBe(0);
  expect(sample.answered).toBeGreaterThan(0);
  expect(sample.p50Ms).toBeGreaterThan(0.9);
  expect(sample.besideP99Ms).toBeGreaterThan(0);
  const search = '/search?origin=Atocha&destination=Barcelona';
  const fresh = await loader.run({ url, clients: 1, ms: 50, reuse: false, paths: [search] });
  expect(fresh.answered).toBeGreaterThan(0);
  expect(await carriers.calls()).toBeGreaterThan(0);
  await loader.close();
  await programs.close();
  expect(lives(pid)).toBe(false);
});

const QUEUE_SERVER = new URL('../../04-batching/queue/queue-server.ts', import.meta.url);

test('a program that does not start is an error with what it said', async () => {
  const programs = createPrograms();
  onTestFinished(programs.close);
  await expect(programs.start(QUEUE_SERVER, ['--queue', 'nonsense'])).rejects.toThrow(
    /Cannot start .*queue-server.ts --queue nonsense: it must print its address/,
  );
  await programs.close();
});
