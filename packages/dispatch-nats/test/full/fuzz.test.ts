import { expect, it } from 'vitest';
import { fuzzSessions } from '../message-fuzz.ts';

it('100,000 forged, truncated, oversized or replayed messages end their session and nothing else', async () => {
  const { ended } = await fuzzSessions(100_000, 11);
  expect(ended).toBeGreaterThan(30_000);
}, 1_200_000);
