import { setImmediate as nextTurn } from 'node:timers/promises';
import { createManualClock } from '@ticketing/test-kit';
import type { GuardClock } from '../src/guard-clock.ts';

/** A clock that a test advances, with turns of an event loop that it ends. */
export interface TestClock extends GuardClock {
  /** Lets promise jobs run, then time pass, with jobs after each timer. */
  advance(ms: number): Promise<void>;
  /** Lets time pass in which no timer is due. */
  pass(ms: number): void;
  /** Ends a turn of the event loop. */
  turn(): void;
  /** Timers and callbacks of the next turn that are set. */
  readonly pending: number;
}

export function createTestClock(): TestClock {
  const clock = createManualClock();
  let soon: (() => void)[] = [];
  return {
    now: clock.now,
    epochNow: clock.now,
    setTimeout: clock.setTimeout,
    clearTimeout: clock.clearTimeout,
    soon: (callback) => void soon.push(callback),
    turn() {
      const due = soon;
      soon = [];
      for (const callback of due) callback();
    },
    pass: (ms) => clock.stall(ms),
    async advance(ms) {
      await jobs();
      for (let passed = 0; passed < ms; passed += 1) {
        clock.advance(1);
        await jobs();
        this.turn();
      }
    },
    get pending() {
      return clock.pending + soon.length;
    },
  };
}

/** Resolves when all promise jobs have run. */
export async function jobs(): Promise<void> {
  await nextTurn();
}
