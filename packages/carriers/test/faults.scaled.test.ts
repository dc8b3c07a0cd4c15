import type { FaultKind } from '@ticketing/carrier-sim';
import { scaled } from '@ticketing/test-kit';
import { expect, test, vi } from 'vitest';
import { ask, carrierIds, failureOf, queryFor, startUpstream } from './upstream.ts';

const faults: readonly [FaultKind, string][] = [
  ['error', 'HTTP'],
  ['error-drip', 'HTTP'],
  ['rate-limited', 'RATE_LIMITED'],
  ['truncated', 'PROTOCOL'],
  ['half-encoded', 'PROTOCOL'],
  ['wrong-encoding', 'PROTOCOL'],
  ['unknown-encoding', 'PROTOCOL'],
  ['malformed-price', 'PROTOCOL'],
  ['throttled', 'RATE_LIMITED'],
];
/** A fault of a carrier, and the code of its error. */
interface Strike {
  readonly id: (typeof carrierIds)[number];
  readonly kind: FaultKind;
  readonly code: string;
}

/** Every fault of every carrier that has it. */
const strikes: readonly Strike[] = faults.flatMap(([kind, usualCode]) =>
  carrierIds
    // It knows no prices.
    .filter((id) => id !== 'ojp' || kind !== 'malformed-price')
    .map((id) => {
      const code = id === 'avlo' && kind === 'throttled' ? 'OVERLOADED' : usualCode;
      return { id, kind, code };
    }),
);

/** Faults that one of these wires has alone. */
const ownStrikes: readonly Strike[] = [
  { id: 'renfe', kind: 'waiting-room', code: 'OVERLOADED' },
  { id: 'renfe', kind: 'list-error', code: 'UPSTREAM' },
  { id: 'renfe', kind: 'exception', code: 'UPSTREAM' },
  { id: 'ouigo', kind: 'moved', code: 'AUTH' },
  { id: 'ouigo', kind: 'unknown-error', code: 'UPSTREAM' },
];

/** What never ends by itself, of every carrier. */
const silences = (['hang', 'drip'] as const).flatMap((kind) =>
  carrierIds.map((id) => ({ id, kind })),
);

// In the fast loop each fault once, on the carriers by turns.
const kinds = [...new Set(strikes.map(({ kind }) => kind))];
const struck = scaled({
  fast: kinds.flatMap((kind, turn) => {
    const list = strikes.filter((strike) => strike.kind === kind);
    return list.slice(turn % list.length).slice(0, 1);
  }),
  full: strikes,
});

test.each([...struck, ...ownStrikes])('$id: fault $kind is $code', async ({ id, kind, code }) => {
  const upstream = await startUpstream();
  const waits = kind === 'rate-limited' || kind === 'throttled';
  upstream.sim.setPlan(id, { fault: { kind, ...(waits ? { retryAfterSeconds: 30 } : {}) } });
  const error = await failureOf(() => ask(upstream, upstream.carriers[id], queryFor(id)));
  expect(error.code).toBe(code);
  if (kind === 'rate-limited')
    expect(error).toMatchObject({ httpStatus: 429, retryAfterMs: 30_000 });
  if (kind.startsWith('error')) expect(error).toMatchObject({ httpStatus: 500, retryable: true });
});

const silent = scaled({
  fast: silences.filter(({ id, kind }) => kind === 'hang' || id === 'renfe'),
  full: silences,
});

test.each(silent)(
  '$id: fault $kind ends with the signal, and the socket with it',
  async ({ id, kind }) => {
    const upstream = await startUpstream();
    upstream.sim.setPlan(id, { fault: { kind } });
    const controller = new AbortController();
    const asked = failureOf(() =>
      ask(upstream, upstream.carriers[id], queryFor(id), { signal: controller.signal }),
    );
    await vi.waitFor(() => expect(upstream.sim.requests()[id].open).toBeGreaterThan(0), 60_000);
    controller.abort();
    expect(await asked).toMatchObject({ code: 'ABORTED' });
    await vi.waitFor(() => expect(upstream.sim.requests()[id]).toMatchObject({ open: 0 }), 60_000);
    expect(upstream.sim.requests()[id].aborted).toBeGreaterThan(0);
  },
);
