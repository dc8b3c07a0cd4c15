import { scaled } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { ASKED, MADRID_BARCELONA, serveDemo, setPlan } from './demo.ts';

/** What a carrier that fails so is told to have, and the status if all do. */
const faults = {
  error: ['HTTP', 502],
  'rate-limited': ['RATE_LIMITED', 503],
  drip: ['TIMEOUT', 504],
  truncated: ['PROTOCOL', 502],
  'malformed-price': ['PROTOCOL', 502],
  throttled: ['RATE_LIMITED', 503],
} as const;

type Fault = keyof typeof faults;
const kinds = scaled<readonly Fault[]>({
  fast: ['error', 'malformed-price'],
  full: Object.keys(faults) as Fault[],
});

// Each carrier that fails has a code of its own, while the others answer.
test.each(kinds)('fault %s: its own code in the status, and no 500', async (kind) => {
  const [usualCode, allFail] = faults[kind];
  // Only a carrier that drips must not end before the deadline.
  const deadlineMs = kind === 'drip' ? '1500' : '20000';
  // A guard would still pause the carriers that failed before.
  const { get, carriersUrl } = await serveDemo(
    ...['--deadline-ms', deadlineMs, '--latency', '0', '--guard', 'off'],
  );
  for (const [index, carrier] of ASKED.entries()) {
    await setPlan(carriersUrl, carrier, { fault: { kind, share: 1 } });
    const { status, body } = await get(MADRID_BARCELONA);
    expect(status).toBe(200);
    const code = carrier === 'avlo' && kind === 'throttled' ? 'OVERLOADED' : usualCode;
    expect(body.carriers[index]).toMatchObject({ carrier, error: { code } });
    expect(body.complete).toBe(false);
    await setPlan(carriersUrl, carrier, { fault: null });
  }
  for (const carrier of ASKED) await setPlan(carriersUrl, carrier, { fault: { kind, share: 1 } });
  const { status, type } = await get(MADRID_BARCELONA);
  expect({ status, type }).toEqual({ status: allFail, type: 'application/problem+json' });
});
