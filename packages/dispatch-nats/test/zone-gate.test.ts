import { expect, test } from 'vitest';
import type { NatsWorker } from '../src/dispatcher/nats-worker.ts';
import { ZoneGate } from '../src/dispatcher/zone-gate.ts';
import type { Fleet, KnownHost } from '../src/fleet/fleet.ts';

const own = { announcement: { zone: 'own' } } as KnownHost;
const far = { announcement: { zone: 'far' } } as KnownHost;
const fleet = { usesKeys: false, isOwnZone: (host: KnownHost) => host === own } as Fleet;

function worker(host: KnownHost) {
  const facts = { host, isReady: true, isRetiring: false, isRefused: false, credit: 4 };
  return {
    ...facts,
    inFlight: 0,
    isHeld: false,
    holdCalls(held: boolean): void {
      this.isHeld = held;
    },
  };
}

function setUp(window: 'auto' | number = 'auto') {
  const [near, other] = [worker(own), worker(far)];
  const workers = [near, other] as unknown as readonly NatsWorker[];
  const gate = new ZoneGate(fleet, window);
  const beats = (count: number): boolean => {
    for (let beat = 0; beat < count; beat += 1) gate.tick(workers);
    return other.isHeld;
  };
  return { gate, near, other, workers, beats };
}

test.each([
  ['is ready', {}, true],
  ['is not ready', { isReady: false }, false],
  ['retires', { isRetiring: true }, false],
])('a host of another zone is held back if a host of the own one %s', (_, facts, isHeld) => {
  const { gate, near, other, workers } = setUp();
  Object.assign(near, facts);
  gate.joined(other as unknown as NatsWorker, workers);
  expect([near.isHeld, other.isHeld]).toEqual([false, isHeld]);
});

test.each([
  ['its credit', 'auto' as const, { inFlight: 4 }],
  ['its window', 2, { inFlight: 2 }],
  ['a refusal', 'auto' as const, { isRefused: true }],
])('the gate opens when the own zone is full for two beats, by %s', (_, window, facts) => {
  const { near, beats } = setUp(window);
  expect(beats(1)).toBe(true);
  Object.assign(near, facts);
  expect([beats(1), beats(1)]).toEqual([true, false]);
});

test('the gate closes when the own zone is half idle for four beats, and its hosts refuse nothing', () => {
  const { near, beats } = setUp();
  near.inFlight = 4;
  beats(2);
  near.inFlight = 3;
  expect(beats(10)).toBe(false);
  near.inFlight = 0;
  near.isRefused = true;
  expect(beats(10)).toBe(false);
  near.isRefused = false;
  near.inFlight = 2;
  expect([beats(3), beats(1)]).toEqual([false, true]);
});
