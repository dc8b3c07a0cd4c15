import { expect, it } from 'vitest';
import { fuzzSessions } from './message-fuzz.ts';

it('a forged, truncated, oversized or replayed message ends its session and nothing else', async () => {
  const { ended } = await fuzzSessions(150, 7);
  expect(ended).toBeGreaterThan(50);
});
