import { expect, test } from 'vitest';
import { workersUnderFire } from '../../stress/workers-under-fire.ts';

test('calls settle, and none is started twice without permission, while workers are killed', async () => {
  const { faults, kills, calls } = await workersUnderFire({ seconds: 5, workers: 2 });
  expect(faults).toEqual([]);
  expect(kills).toBeGreaterThan(5);
  expect(calls).toBeGreaterThan(100);
}, 30_000);
