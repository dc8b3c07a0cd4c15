import { createManualClock } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import type { HostSession } from '../src/host/host-session.ts';
import { HostTicks } from '../src/host/host-ticks.ts';

function start(silentAfterMs: readonly number[] = []) {
  const clock = createManualClock();
  const from = clock.now();
  const host = { isActive: false, ticks: [] as number[] };
  const sessions = new Map(
    silentAfterMs.map((ms, index) => [String(index), { silentAfterMs: ms } as HostSession]),
  );
  const ticks = new HostTicks({
    clock,
    sessions,
    isActive: () => host.isActive,
    tick: (now) => host.ticks.push(now - from),
  });
  ticks.start();
  const pass = (ms: number): void => {
    for (let passed = 0; passed < ms; passed += 10) clock.advance(10);
  };
  return { clock, host, ticks, pass };
}

test.each([
  ['a second, without sessions', [], 1000],
  ['a third of the shortest silence', [60_000, 900], 300],
  ['100 ms at least', [60], 100],
])('an idle host ticks every %s', (_, silences, everyMs) => {
  const { host, pass } = start(silences);
  pass(2 * everyMs);
  expect(host.ticks).toEqual([everyMs, 2 * everyMs]);
});

test('a host that is active from now on ticks within 100 ms', () => {
  const { host, ticks, pass } = start();
  pass(500);
  host.isActive = true;
  ticks.sooner();
  pass(200);
  expect(host.ticks).toEqual([600, 700]);
});

test('a tick that is due within 100 ms stays as it is', () => {
  const { host, ticks, pass } = start();
  pass(900);
  ticks.sooner();
  pass(100);
  expect(host.ticks).toEqual([1000]);
});

test('a closed host does not tick', () => {
  const { clock, host, ticks, pass } = start();
  ticks.close();
  ticks.sooner();
  pass(2000);
  expect([host.ticks, clock.pending]).toEqual([[], 0]);
});
