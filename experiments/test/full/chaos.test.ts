import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { runSetup } from '../../chaos/run-setup.ts';
import { SETUPS } from '../../chaos/setups.ts';
import { summaryOf } from '../../chaos/summary.ts';

const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('chaos-'));

test('a short run of the built demo under faults keeps every invariant, and leaves nothing', async () => {
  const before = folders();
  const setup = SETUPS.find(({ name }) => name === 'cluster-in-process-machine');
  if (setup === undefined) throw new Error('There is no such set-up');
  const breaches: string[] = [];
  const run = await runSetup(setup, {
    ...{ seed: 1, perSecond: 15, flags: [], signal: new AbortController().signal },
    ...{ warmMs: 2000, ms: 8000, calmMs: 6000 },
    onViolation: ({ invariant, what, isDoubtful }) => {
      if (!isDoubtful) breaches.push(`${invariant}: ${what}`);
    },
  });
  expect(breaches).toEqual([]);
  const { requests, grades, faults, left } = summaryOf(run);
  expect(requests).toBeGreaterThan(200);
  expect(grades.good).toBeGreaterThan(requests / 4);
  expect(Object.keys(faults).length).toBeGreaterThan(1);
  expect(left).toBe(0);
  expect(folders()).toEqual(before);
});
