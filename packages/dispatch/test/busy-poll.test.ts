import { expect, test } from 'vitest';
import { BusyPoll, POLL_TURNS } from '../src/busy-poll.ts';

/** A poll whose event loop turns when the test says so. */
function manualPoll() {
  let resume: (() => void) | undefined;
  let now = 0;
  const poll = new BusyPoll({
    now: () => now,
    afterTurn: (next) => {
      if (resume !== undefined) throw new Error('Two turns are awaited');
      resume = next;
    },
  });
  return {
    poll,
    /** Whether the event loop would turn instead of sleeping. */
    get isTurning(): boolean {
      return resume !== undefined;
    },
    /** Turns the event loop up to so often. @returns how often it did */
    turn(most: number): number {
      for (let turns = 0; turns < most; turns += 1) {
        const next = resume;
        if (next === undefined) return turns;
        resume = undefined;
        now += 1;
        next();
      }
      return most;
    },
  };
}

/** One wait that nothing ends. @returns whether it was polled */
function miss(rig: ReturnType<typeof manualPoll>): boolean {
  rig.poll.expect();
  return rig.turn(Number.POSITIVE_INFINITY) > 0;
}

test('a wait is polled until its message comes', () => {
  const rig = manualPoll();
  expect(rig.isTurning).toBe(false);
  rig.poll.expect();
  expect(rig.turn(5)).toBe(5);
  rig.poll.arrived();
  // The turn that was awaited is the last.
  expect(rig.turn(Number.POSITIVE_INFINITY)).toBe(1);
  expect(rig.poll.polledMs).toBe(5);
});

test('a message that is expected again before the awaited turn is polled for by that turn', () => {
  const rig = manualPoll();
  for (let call = 0; call < 3; call += 1) {
    rig.poll.expect();
    rig.poll.expect();
    rig.poll.arrived();
  }
  rig.poll.expect();
  expect(rig.turn(Number.POSITIVE_INFINITY)).toBe(POLL_TURNS);
});

test('a wait is polled for so many turns, then the event loop sleeps', () => {
  const rig = manualPoll();
  rig.poll.expect();
  expect(rig.turn(Number.POSITIVE_INFINITY)).toBe(POLL_TURNS);
  expect(rig.isTurning).toBe(false);
  expect(rig.poll.polledMs).toBe(POLL_TURNS);
  rig.poll.arrived();
  rig.poll.stop();
  expect(rig.poll.polledMs).toBe(POLL_TURNS);
});

test('after misses few waits are polled: one of 2, of 4, and so on up to 64', () => {
  const rig = manualPoll();
  const gaps: number[] = [];
  let gap = 0;
  while (gaps.length < 9) {
    gap += 1;
    if (!miss(rig)) continue;
    gaps.push(gap);
    gap = 0;
  }
  expect(gaps).toEqual([1, 2, 4, 8, 16, 32, 64, 64, 64]);
});

test('a message that comes in time has all waits polled again', () => {
  const rig = manualPoll();
  for (let wait = 0; wait < 7; wait += 1) miss(rig);
  while (!rig.isTurning) rig.poll.expect();
  rig.poll.arrived();
  rig.turn(1);
  expect([miss(rig), miss(rig), miss(rig)]).toEqual([true, false, true]);
});

test('a wait that is stopped is no miss', () => {
  const rig = manualPoll();
  rig.poll.expect();
  rig.turn(POLL_TURNS - 1);
  rig.poll.stop();
  expect(rig.turn(Number.POSITIVE_INFINITY)).toBe(1);
  expect(miss(rig)).toBe(true);
});

test('the platform calls back after a turn of its event loop, by default', async () => {
  const poll = new BusyPoll();
  poll.expect();
  await new Promise((resolve) => setTimeout(resolve));
  poll.arrived();
  expect(poll.polledMs).toBeGreaterThan(0);
});
