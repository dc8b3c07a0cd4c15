import { expect, test } from 'vitest';
import { rollingRestart } from '../../stress/rolling-restart.ts';
import { serversUnderFire } from '../../stress/servers-under-fire.ts';

const entry = new URL('../fixtures/server.ts', import.meta.url);

test.each(['http', 'fastify'] as const)(
  'no request fails while workers (%s) are reloaded, added, taken away and recycled',
  { timeout: 120_000 },
  async (server) => {
    const report = await rollingRestart({
      entry,
      server,
      answers: 300,
      answerMs: 20,
      connections: 50,
    });
    expect(report.busy.failures).toEqual({});
    expect(report.strict.failures).toEqual({});
    expect(report.recycled).toBeGreaterThan(0);
    expect(report.spawned).toBeGreaterThan(8);
    expect(report.requests).toBeGreaterThanOrEqual(report.busy.answered + report.strict.answered);
  },
);

test('some requests in flight on a killed worker fail, and every request that is sent again is answered', {
  timeout: 120_000,
}, async () => {
  const connections = 20;
  const fire = { entry, workers: 2, kills: 5, answers: 100, connections };
  const { once, retried, backMs, circuit } = await serversUnderFire(fire);
  const failed = Object.values(once.failures).reduce((total, count) => total + count, 0);
  expect(failed).toBeLessThanOrEqual(5 * connections);
  const { ECONNRESET: _, ...others } = once.failures;
  expect(others).toEqual({});
  expect(retried.failures).toEqual({});
  expect(backMs).toHaveLength(5);
  expect(circuit).toBe('closed');
});
