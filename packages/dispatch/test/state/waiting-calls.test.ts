import { expect, test } from 'vitest';
import type { Call } from '../../src/kernel/state/call.ts';
import { WaitingCalls } from '../../src/kernel/state/waiting-calls.ts';

const call = (order: number) => ({ priority: 0, enqueuedAt: 0, order, target: {} }) as Call;
const ahead = (waiting: WaitingCalls, workers: number, slot?: number) =>
  waiting.ahead(slot, { priority: 0, now: 0, workers });

test('ahead() counts calls of the slot in which the fewest wait, once all slots have some', () => {
  const waiting = new WaitingCalls();
  waiting.push(call(1), undefined);
  waiting.push(call(2), 0);
  waiting.push(call(3), 0);
  expect([ahead(waiting, 2), ahead(waiting, 2, 0), ahead(waiting, 2, 1)]).toEqual([1, 5, 1]);
  waiting.push(call(4), 1);
  expect(ahead(waiting, 2)).toBe(3);
});

test('release() leaves nothing of the slot behind', () => {
  const waiting = new WaitingCalls();
  for (const slot of [0, 1, 2]) waiting.push(call(slot), slot);
  waiting.release(2);
  expect([waiting.has(2), waiting.has(undefined), waiting.size]).toEqual([false, true, 3]);
  // One for any worker, and one for each of the two that there are.
  expect(ahead(waiting, 2)).toBe(3);
});
