import { expect, test } from 'vitest';
import { soonest } from '../../src/kernel/policy/choose-worker.ts';
import { addSlots, type Slot } from '../../src/kernel/state/pool-state.ts';
import { Pace } from '../../src/kernel/state/worker/pace.ts';
import { createWindow } from '../../src/kernel/state/worker/window.ts';
import { Worker } from '../../src/kernel/state/worker/worker.ts';

/** Ready workers whose runs have taken so long, with so many calls. */
function workersOf(
  plan: readonly { readonly runsMs: readonly number[]; calls?: number; sentAt?: number }[],
) {
  const slots: Slot[] = [];
  addSlots(slots, plan.length);
  for (const [index, { runsMs, calls = 0, sentAt = 0 }] of plan.entries()) {
    const worker = new Worker<never>({
      workerId: index + 1,
      slot: index,
      window: createWindow(100, { first: 100, max: 100 }),
      pace: new Pace(),
      bornAt: 0,
      limits: { tasks: 1, ageMs: 1, rssBytes: 1, heapBytes: 1 },
    });
    worker.phase = 'ready';
    for (const runMs of runsMs) worker.load.pace?.record(runMs, 0);
    for (let call = 0; call < calls; call += 1) worker.calls.add({ seq: call, sentAt } as never);
    (slots[index] as Slot).current = worker;
  }
  return slots;
}

const chosen = (slots: readonly Slot[], now = 0) => soonest(slots, now)?.workerId;

test('soonest() chooses the worker with the fewest calls while nothing is known, or all are alike', () => {
  expect(
    chosen(
      workersOf([
        { runsMs: [], calls: 2 },
        { runsMs: [], calls: 1 },
      ]),
    ),
  ).toBe(2);
  expect(
    chosen(
      workersOf([
        { runsMs: [105], calls: 1 },
        { runsMs: [100], calls: 1 },
      ]),
    ),
  ).toBe(1);
  expect(chosen(workersOf([{ runsMs: [0.1], calls: 1 }, { runsMs: [3] }]))).toBe(2);
});

test('soonest() leaves a slow worker out, however many calls the others have, until they are full', () => {
  const plan = (calls: number) => [{ runsMs: [1000] }, { runsMs: [100], calls }];
  expect([0, 1, 10, 99].map((calls) => chosen(workersOf(plan(calls))))).toEqual([2, 2, 2, 2]);
  expect(chosen(workersOf(plan(100)))).toBe(1);
});

test('soonest() gives a worker that is a little slower a little less', () => {
  const slots = workersOf([{ runsMs: [200] }, { runsMs: [100] }]);
  const given = [0, 0];
  for (let call = 0; call < 60; call += 1) {
    const worker = (chosen(slots) ?? 0) - 1;
    given[worker] = (given[worker] ?? 0) + 1;
    slots[worker]?.current?.calls.add({ seq: call, sentAt: 0 } as never);
  }
  expect(given[0]).toBeGreaterThanOrEqual(10);
  expect(given[0]).toBeLessThanOrEqual(25);
});

test('soonest() sees by its calls that a worker has become slow, before it answers any', () => {
  const runsMs = [100];
  const plan = (calls: number) => [
    { runsMs, calls },
    { runsMs, calls: 8, sentAt: 250 },
  ];
  expect(chosen(workersOf(plan(7)), 90)).toBe(1);
  expect(chosen(workersOf(plan(7)), 300)).toBe(2);
  // A single one may be a long task.
  expect(chosen(workersOf(plan(1)), 300)).toBe(1);
});

test('soonest() tries a slow worker again after a while, and a new one as any other', () => {
  const at = (now: number) =>
    chosen(workersOf([{ runsMs: [1000] }, { runsMs: [100], calls: 3, sentAt: now }]), now);
  expect([1000, 60_000].map(at)).toEqual([2, 1]);
  expect(chosen(workersOf([{ runsMs: [] }, { runsMs: [100], calls: 1 }]))).toBe(1);
});

test('soonest() does not take one long run for a slow worker', () => {
  const runsMs = Array.from({ length: 20 }, () => 10);
  expect(chosen(workersOf([{ runsMs: [...runsMs, 10_000] }, { runsMs, calls: 2 }]))).toBe(1);
});
