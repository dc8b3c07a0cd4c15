import { scaled } from '@ticketing/test-kit';
import { expect, it } from 'vitest';
import { fuzzSessions } from './message-fuzz.ts';

it('a forged, truncated, oversized or replayed message ends its session and nothing else', async () => {
  const [count, seed] = scaled({ fast: [150, 7] as const, full: [100_000, 11] as const });
  const { ended } = await fuzzSessions(count, seed);
  expect(ended).toBeGreaterThan(0.3 * count);
}, 1_200_000);
