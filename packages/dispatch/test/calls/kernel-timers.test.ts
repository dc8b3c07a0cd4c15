import { createManualClock, type ManualClock } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { checkPoolsAfterEach, createPool, turn } from '../kernel-fixture.ts';

checkPoolsAfterEach();

/** A clock whose timers keep the process alive until they are told not to, as the platform's do. */
function createHoldingClock(): { clock: ManualClock; holding(): number[] } {
  const manual = createManualClock();
  const timers = new Map<unknown, number>();
  const clock: ManualClock = Object.create(manual, {
    setTimeout: {
      value(callback: () => void, ms: number) {
        const timer = {
          id: manual.setTimeout(() => {
            timers.delete(timer);
            callback();
          }, ms),
          unref: () => timers.delete(timer),
        };
        timers.set(timer, ms);
        return timer;
      },
    },
    clearTimeout: {
      value(timer: { id: unknown } | undefined) {
        timers.delete(timer);
        manual.clearTimeout(timer?.id);
      },
    },
  });
  return { clock, holding: () => [...timers.values()] };
}

test('checks of workers do not keep the process alive', async () => {
  const { clock, holding } = createHoldingClock();
  const options = { max: 2, window: 4, idleTimeoutMs: 1000, clock };
  const { run, ready, transport } = createPool(options, { reclaims: true });
  await ready();
  // For so long the process is held in case a call follows.
  clock.advance(10);
  run('long');
  run('waits');
  await turn();
  transport.at(0).start(1);
  expect(clock.pending).toBeGreaterThan(2);
  expect(holding()).toEqual([]);
});

test('the wait for a probe does not keep the process alive, and that for a restart does', () => {
  const { clock, holding } = createHoldingClock();
  const restart = { backoffMs: [100, 5000], maxFailures: 1, withinMs: 10_000 } as const;
  const { transport } = createPool({ restart, clock });
  const starting = holding();
  transport.at(0).startFailed(new Error('Cannot find module'));
  clock.advance(49);
  expect(holding()).toEqual([50]);
  clock.advance(1);
  expect(holding()).toEqual(starting);
  transport.at(1).startFailed(new Error('Cannot find module'));
  expect(clock.pending).toBeGreaterThan(0);
  expect(holding()).toEqual([]);
});
