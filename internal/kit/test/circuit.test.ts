import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCircuit } from '../src/circuit.ts';

const restart = { backoffMs: [100, 1000] as const, maxFailures: 3, withinMs: 10_000 };
const create = (options: Partial<typeof restart> = {}, random = () => 1) =>
  createCircuit({ ...restart, ...options }, random);

test('a new circuit is closed', () => {
  const { state, lastError } = create();
  expect([state, lastError]).toEqual(['closed', undefined]);
});

test('back-off doubles up to its greatest', () => {
  const circuit = create({ maxFailures: 100 });
  const waits = Array.from({ length: 6 }, (_, now) => circuit.failed(now, 'boot', false));
  expect(waits).toEqual(
    [100, 200, 400, 800, 1000, 1000].map((afterMs) => ({ kind: 'retry', afterMs })),
  );
});

test('half of the back-off is random', () => {
  for (const [drawn, afterMs] of [
    [0, 50],
    [0.5, 75],
    [1, 100],
  ] as const) {
    expect(create({}, () => drawn).failed(0, 'boot', false)).toEqual({ kind: 'retry', afterMs });
  }
});

test('back-off stays at its greatest, however many failures there were', () => {
  const circuit = create({ withinMs: 1 });
  for (let now = 0; now < 2000; now++) circuit.failed(now, 'boot', false);
  expect(circuit.failed(2000, 'boot', false)).toEqual({ kind: 'retry', afterMs: 1000 });
});

test('one failure more than maxFailures within withinMs opens it, and it knows the last error', () => {
  const circuit = create();
  const errors = [0, 1, 2, 3].map((index) => new Error(`boot ${index}`));
  const decisions = errors.map((error, now) => circuit.failed(now, error, false).kind);
  expect(decisions).toEqual(['retry', 'retry', 'retry', 'open']);
  expect(circuit.state).toBe('open');
  expect(circuit.lastError).toBe(errors[3]);
});

test('failures that are a period old no longer count', () => {
  const circuit = create();
  for (const now of [0, 5000, 9999, 10_000, 15_000]) {
    expect(circuit.failed(now, 'boot', false).kind).toBe('retry');
  }
  expect(circuit.failed(19_998, 'boot', false).kind).toBe('open');
});

test('maxFailures of 0 tolerates no failure', () => {
  expect(create({ maxFailures: 0 }).failed(0, 'boot', false)).toEqual({
    kind: 'open',
    probeAfterMs: 1000,
  });
});

test('a final failure opens it at once', () => {
  const circuit = create();
  expect(circuit.failed(0, 'no tasks', true)).toEqual({ kind: 'open', probeAfterMs: 1000 });
  expect(circuit.lastError).toBe('no tasks');
});

test('while the circuit is open, failures do not postpone the probe', () => {
  const circuit = create();
  circuit.failed(0, 'first', true);
  expect(circuit.failed(400, 'second', false)).toEqual({ kind: 'open', probeAfterMs: 600 });
  expect(circuit.failed(1500, 'third', true)).toEqual({ kind: 'open', probeAfterMs: 0 });
  expect([circuit.state, circuit.lastError]).toEqual(['open', 'third']);
});

test('a probe that fails opens it again, for as long', () => {
  const circuit = create();
  circuit.failed(0, 'first', true);
  circuit.probing();
  expect(circuit.state).toBe('half-open');
  expect(circuit.failed(2000, 'second', false)).toEqual({ kind: 'open', probeAfterMs: 1000 });
  expect([circuit.state, circuit.lastError]).toEqual(['open', 'second']);
});

test('a success closes the circuit and forgets failures, back-off and error', () => {
  const circuit = create();
  circuit.failed(0, 'first', true);
  circuit.probing();
  circuit.succeeded();
  expect([circuit.state, circuit.lastError]).toEqual(['closed', undefined]);
  for (const afterMs of [100, 200, 400]) {
    expect(circuit.failed(1, 'boot', false)).toEqual({ kind: 'retry', afterMs });
  }
  circuit.succeeded();
  expect(circuit.failed(1, 'boot', false)).toEqual({ kind: 'retry', afterMs: 100 });
});

test('a success of a worker that is older than the failures closes an open circuit too', () => {
  const circuit = create();
  circuit.failed(0, 'boot', true);
  circuit.succeeded();
  expect(circuit.state).toBe('closed');
});

test('probing() leaves a closed and a half-open circuit as they are', () => {
  const circuit = create();
  circuit.probing();
  expect(circuit.state).toBe('closed');
  circuit.failed(0, 'boot', true);
  circuit.probing();
  circuit.probing();
  expect(circuit.state).toBe('half-open');
});

test('whatever happens, waits are within their bounds, and failures beyond maxFailures open', () => {
  const happening = fc.record({
    kind: fc.constantFrom('failed', 'failed', 'failed', 'final', 'probing', 'succeeded'),
    afterMs: fc.nat(2000),
    random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(happening), fc.nat(4), (happenings, maxFailures) => {
      let drawn = 0;
      const circuit = create({ maxFailures, withinMs: 3000 }, () => drawn);
      let failedAt: number[] = [];
      let now = 0;
      for (const { kind, afterMs, random } of happenings) {
        now += afterMs;
        drawn = random;
        const before = circuit.state;
        if (kind === 'succeeded') {
          circuit.succeeded();
          failedAt = [];
          expect(circuit.state).toBe('closed');
        } else if (kind === 'probing') {
          circuit.probing();
          expect(circuit.state).toBe(before === 'open' ? 'half-open' : before);
        } else {
          failedAt.push(now);
          const decision = circuit.failed(now, kind, kind === 'final');
          const recent = failedAt.filter((at) => now - at < 3000);
          const opens = before !== 'closed' || kind === 'final' || recent.length > maxFailures;
          expect(circuit.state).toBe(opens ? 'open' : 'closed');
          expect(decision.kind).toBe(opens ? 'open' : 'retry');
          const ms = decision.kind === 'open' ? decision.probeAfterMs : decision.afterMs;
          expect(ms).toBeGreaterThanOrEqual(before === 'open' ? 0 : 50);
          expect(ms).toBeLessThanOrEqual(1000);
        }
      }
    }),
  );
});
