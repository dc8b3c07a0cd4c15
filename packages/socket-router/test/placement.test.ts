import { expect, test } from 'vitest';
import type { Fleet } from '../src/master/fleet.ts';
import type { HeldConnection } from '../src/master/held-connection.ts';
import { Placement } from '../src/master/placement.ts';
import type { WorkerLane } from '../src/master/worker-lane.ts';

interface FakeLane {
  isFree: boolean;
  load: number;
  readonly taken: number[];
  enqueue(connection: HeldConnection): void;
}

function lane(load = 0): FakeLane {
  const taken: number[] = [];
  return {
    isFree: true,
    load,
    taken,
    enqueue({ id }) {
      this.isFree = false;
      this.load += 1;
      taken.push(id);
    },
  };
}

function placementOf(lanes: readonly FakeLane[], queuePerWorker = 1_000_000) {
  const refused: string[] = [];
  const fleet = { ready: lanes as readonly unknown[] as readonly WorkerLane[] } as Fleet;
  const refuse = (_: HeldConnection, reason: string) => void refused.push(reason);
  const placement = new Placement(fleet, { loadFactor: 1.25, queuePerWorker, refuse });
  return { placement, refused };
}

const held = (id: number) => ({ id, choice: { kind: 'any' }, attempts: 0 }) as HeldConnection;

test('each free worker gets one, the least loaded first; the next goes to the first that is free', () => {
  const lanes = [lane(2), lane(0), lane(1)];
  const { placement } = placementOf(lanes);
  for (let id = 1; id <= 5; id++) placement.place(held(id));
  expect(lanes.map(({ taken }) => taken)).toEqual([[3], [1], [2]]);
  expect(placement.waiting).toBe(2);
  (lanes[2] as FakeLane).isFree = true;
  placement.serve();
  expect(lanes[2]?.taken).toEqual([2, 4]);
});

test('a worker that is faster gets 1.25 times the mean and no more', () => {
  const lanes = [lane(100), lane(100)];
  const [fast, slow] = lanes as [FakeLane, FakeLane];
  slow.isFree = false;
  const { placement } = placementOf(lanes);
  for (let id = 1; id <= 200; id++) {
    placement.place(held(id));
    fast.isFree = true;
    placement.serve();
  }
  expect(fast.load / ((fast.load + slow.load) / 2)).toBeCloseTo(1.25, 1);
  slow.isFree = true;
  placement.serve();
  expect(slow.load).toBe(101);
});

test('100,000 that wait, of which half leave, are served in their order and in time', {
  timeout: 5000,
}, () => {
  const [only] = [lane()];
  const { placement } = placementOf([only]);
  const all = Array.from({ length: 100_000 }, (_, id) => held(id));
  for (const connection of all) placement.place(connection);
  for (const connection of all) if (connection.id % 2 === 1) placement.leave(connection);
  expect(placement.waiting).toBe(49_999);
  while (placement.waiting > 0) {
    only.isFree = true;
    only.load = 0;
    placement.serve();
  }
  expect(only.taken).toEqual(all.filter(({ id }) => id % 2 === 0).map(({ id }) => id));
});

test('no more wait than there is room for; those that have left count no more', () => {
  const only = lane();
  const { placement, refused } = placementOf([only], 3);
  const all = [1, 2, 3, 4].map(held);
  for (const connection of all) placement.place(connection);
  expect(refused).toEqual(['queue-full']);
  placement.leave(all[1] as HeldConnection);
  placement.place(held(5));
  expect([placement.waiting, refused.length]).toEqual([2, 1]);
  placement.retry();
  only.isFree = true;
  placement.serve();
  expect(only.taken).toEqual([1, 3]);
});
