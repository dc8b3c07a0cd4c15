import { createMemoryCoordinator, createMemoryStore, shareLoads } from '@ticketing/batching/shared';
import { createManualClock, type ManualClock } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import type { AskOptions } from '../src/answers/kinds.ts';
import { type ShareLoad, shared } from '../src/answers/shared.ts';
import { someAnswers } from './some-answers.ts';

const LEASE_MS = 600;

/** Machines that share their loads, whose answers never come by themselves. */
function createMachines() {
  const clock = createManualClock();
  const store = createMemoryStore({ clock });
  return {
    clock,
    machine(ownClock: ManualClock = clock) {
      const coordinator = createMemoryCoordinator({ store, clock: ownClock, random: () => 0 });
      const share: ShareLoad = (load, name) =>
        shareLoads(load, {
          coordinator,
          name,
          key: ({ key }) => key,
          leaseMs: LEASE_MS,
          clock: ownClock,
        });
      const asked: AskOptions[] = [];
      const own = someAnswers({
        worms(_, options) {
          asked.push(options);
          return new Promise(() => {});
        },
      });
      return { asked, ask: shared(own, { share, clock: ownClock }).worms };
    },
    /** Lets time pass in steps, so that what one machine does arrives at the others. */
    async pass(ms: number) {
      for (let left = ms; left > 0; left -= 25) {
        clock.advance(Math.min(25, left));
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

const { signal } = new AbortController();

test('a machine whose leader has died searches in what is left of its own time', async () => {
  const { clock, machine, pass } = createMachines();
  const [leader, follower] = [machine(createManualClock()), machine()];
  void leader.ask('utilize', { signal, deadlineMs: 2000 });
  await pass(25);
  const startedAt = clock.now();
  const answer = follower.ask('utilize', { signal, deadlineMs: 2000 }).catch(() => {});
  await pass(LEASE_MS);
  expect(leader.asked).toMatchObject([{ deadlineMs: 2000 }]);
  expect(follower.asked).toHaveLength(1);
  expect(follower.asked[0]?.deadlineMs).toBeLessThanOrEqual(2000 - (LEASE_MS - 50));
  expect(follower.asked[0]?.deadlineMs).toBeGreaterThanOrEqual(2000 - (clock.now() - startedAt));
  await pass(2500);
  await answer;
});

test('a machine that waits for a leader with a later deadline is answered at its own', async () => {
  const { machine, pass } = createMachines();
  const [leader, follower] = [machine(), machine()];
  const long = leader.ask('utilize', { signal, deadlineMs: 60_000 });
  let isAnswered = false;
  long.catch(() => {});
  await pass(25);
  const answer = follower.ask('utilize', { signal, deadlineMs: 2000 });
  answer.catch(() => {
    isAnswered = true;
  });
  await pass(2475);
  expect(isAnswered).toBe(false);
  await pass(25);
  expect(isAnswered).toBe(true);
  await expect(answer).rejects.toMatchObject({ code: 'ERR_CALLER_TIMEOUT', statusCode: 504 });
  expect(follower.asked).toEqual([]);
  expect(leader.asked[0]?.signal.aborted).toBe(false);
});
