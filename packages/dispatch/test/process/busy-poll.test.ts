import { turns } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { BusyPoll, POLL_TURNS } from '../../src/busy-poll.ts';

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

/** One wait that ends in time, if it is polled. @returns whether it was */
function hit(rig: ReturnType<typeof manualPoll>): boolean {
  rig.poll.expect();
  const isPolled = rig.isTurning;
  rig.poll.arrived();
  rig.turn(1);
  return isPolled;
}

/** Number of the waits in a row that follow and are polled, or, with `polled` false, are not. */
function inARow(rig: ReturnType<typeof manualPoll>, wait: typeof miss, polled: boolean): number {
  let count = 0;
  while (wait(rig) === polled) count += 1;
  return count;
}

test('after four misses in a row polling pauses, for twice as long after each attempt that fails', () => {
  const rig = manualPoll();
  const attempts: number[] = [];
  const pauses: number[] = [];
  for (let attempt = 0; attempt < 9; attempt += 1) {
    // The first wait of each row ends the row before.
    attempts.push(inARow(rig, miss, true) + (attempt === 0 ? 0 : 1));
    expect(rig.poll.isTrying).toBe(false);
    pauses.push(inARow(rig, miss, false) + 2);
  }
  expect(attempts).toEqual(Array(9).fill(4));
  expect(pauses).toEqual([16, 32, 64, 128, 256, 256, 256, 256, 256]);
});

test('a miss among messages that come in time changes nothing', () => {
  const rig = manualPoll();
  for (let wait = 0; wait < 100; wait += 1) {
    const isPolled = wait % 10 === 9 ? miss(rig) : hit(rig);
    expect(isPolled).toBe(true);
  }
});

test('an attempt that goes well for 64 waits makes the next pause short again', () => {
  const rig = manualPoll();
  for (let attempt = 0; attempt < 5; attempt += 1) {
    inARow(rig, miss, true);
    inARow(rig, miss, false);
  }
  for (let wait = 0; wait < 64; wait += 1) expect(hit(rig)).toBe(true);
  inARow(rig, miss, true);
  expect(inARow(rig, miss, false) + 2).toBe(16);
});

test('where every second one comes late, few waits are polled', () => {
  const rig = manualPoll();
  let polled = 0;
  for (let wait = 0; wait < 10_000; wait += 1) {
    rig.poll.expect();
    if (!rig.isTurning) continue;
    polled += 1;
    if (polled % 2 === 0) rig.poll.arrived();
    rig.turn(Number.POSITIVE_INFINITY);
  }
  expect(polled).toBeLessThan(600);
});

test('retry() begins an attempt at once', () => {
  const rig = manualPoll();
  inARow(rig, miss, true);
  expect(miss(rig)).toBe(false);
  rig.poll.retry();
  expect(rig.poll.isTrying).toBe(true);
  expect(inARow(rig, miss, true)).toBe(4);
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
  await turns();
  poll.arrived();
  expect(poll.polledMs).toBeGreaterThan(0);
});
