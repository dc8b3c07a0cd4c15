import { expect, test } from 'vitest';
import { csvLines, reportLines } from '../../src/simulation/report.ts';
import { runSetting } from '../../src/simulation/run-setting.ts';
import { type Setting, settings } from '../../src/simulation/settings.ts';
import { five } from '../five-hosts.ts';

test('twenty hosts in two zones go through it all: no call runs twice without permission', async () => {
  const [large] = settings['100'] ?? [];
  if (large === undefined) throw new Error('Cannot test: no setting of 100 hosts');
  const small: Setting = {
    ...large,
    ...{ name: '20 hosts', workerHosts: 20, servingHosts: 3, zones: 2, sessions: 4 },
    ...{ callsPerSecond: 400, keyedPerSecond: 40, warmUpSeconds: 1 },
    phases: large.phases.map((phase) => ({ ...phase, seconds: 2 })),
  };
  const results = await runSetting(small, { seed: 5 });
  expect(results.map(({ phase }) => phase)).toEqual(large.phases.map(({ name }) => name));
  expect(results.reduce((sum, { twice }) => sum + twice, 0)).toBe(0);
  const steady = results[0];
  expect(steady).toMatchObject({ lost: 0, failed: 0, mostLoads: 1, doubleLoads: 0 });
  // Sessions that owners of keys have with all dispatchers do not make them full.
  expect(steady?.busyShare).toBeLessThan(0.05);
  const lines = reportLines(results, 5);
  expect(lines.join('\n')).toContain('Run twice without permission: 0 of');
  const [head = '', ...rows] = csvLines(results, 5);
  expect(rows).toHaveLength(results.length);
  for (const row of rows) expect(row.split(',').length).toBe(head.split(',').length);
});

test('one seed has one result', async () => {
  const [one, same] = [
    await runSetting(five('kill'), { seed: 3 }),
    await runSetting(five('kill'), { seed: 3 }),
  ];
  expect(same).toEqual(one);
});

test('a host that leaves loses nothing', async () => {
  const [, drained] = await runSetting(five('drain'), { seed: 1 });
  expect(drained).toMatchObject({ lost: 0, failed: 0, retried: 0, twice: 0, toldMs: undefined });
});
