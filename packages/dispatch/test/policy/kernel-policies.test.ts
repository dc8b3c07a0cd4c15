import type { Clock } from '@ticketing/kit';
import { describe, expect, test } from 'vitest';
import type { WorkerHandle } from '../../src/contract/transport.ts';
import { isLate } from '../../src/kernel/limits/fair-timer.ts';
import {
  admit,
  hasRoomFor,
  isBroken,
  queueRoom,
  usualWaitMs,
} from '../../src/kernel/policy/admit.ts';
import { slotOfKey, slotOfTarget, workerFor } from '../../src/kernel/policy/choose-worker.ts';
import { healthStep, isDue, mayBeSilent, recycleLimits } from '../../src/kernel/policy/due.ts';
import { canHelp, checksAfter, dueToMove, movableCalls } from '../../src/kernel/policy/held-up.ts';
import { anyWorker, type Call, type PoolWorker } from '../../src/kernel/state/call.ts';
import { Departures } from '../../src/kernel/state/departures.ts';
import { addSlots, type PoolQueue, type Slot } from '../../src/kernel/state/pool-state.ts';
import { WaitingCalls } from '../../src/kernel/state/waiting-calls.ts';
import { Worker, type WorkerPhase } from '../../src/kernel/state/worker/worker.ts';

const LIMITS = { tasks: 10, ageMs: 1000, rssBytes: 500, heapBytes: 50 };
const clock = { now: () => 0 };

interface Given {
  readonly phase?: WorkerPhase;
  readonly window?: number;
  /** Calls at the worker. */
  readonly calls?: readonly Partial<Call>[];
  /** Highest call that it has begun. */
  readonly started?: number;
  readonly handle?: Partial<WorkerHandle>;
}

function worker(workerId: number, given: Given = {}): PoolWorker {
  const { phase = 'ready', window = 2, calls = [], started = 0, handle = {} } = given;
  const size = { size: window, record: () => {} };
  const slot = workerId - 1;
  const made: PoolWorker = new Worker<Call>({
    workerId,
    slot,
    bornAt: 0,
    window: size,
    limits: LIMITS,
  });
  made.phase = phase;
  made.handle = { started: () => started, reclaim: () => [], ...handle } as unknown as WorkerHandle;
  for (const [index, call] of calls.entries()) made.calls.add({ seq: index + 1, ...call } as Call);
  return made;
}

function slotsOf(...workers: readonly (PoolWorker | undefined)[]): Slot[] {
  const slots: Slot[] = [];
  addSlots(slots, workers.length);
  for (const [index, current] of workers.entries()) (slots[index] as Slot).current = current;
  return slots;
}

function queueOf(slots: readonly Slot[], more: Partial<PoolQueue> = {}): PoolQueue {
  return {
    slots,
    waiting: new WaitingCalls(),
    departures: new Departures(),
    options: { maxQueue: 3, maxWaitMs: 100 },
    mayDiffer: false,
    isHopeful: true,
    homeOf: undefined,
    ...more,
  };
}

/** A call that waits. */
const waiting = (id: number) =>
  ({ order: id, enqueuedAt: 0, priority: 0, target: anyWorker, patienceMs: Infinity }) as Call;
const one = {};

describe('choose-worker', () => {
  const chosen = (queue: PoolQueue, target: object) =>
    workerFor(queue, { ...anyWorker, ...target }, clock)?.workerId;

  test('a call goes to the worker with room and the fewest calls, apart from one if its options exclude it', () => {
    const queue = queueOf(
      slotsOf(worker(1, { calls: [one] }), worker(2), worker(3, { phase: 'starting' })),
    );
    expect(chosen(queue, {})).toBe(2);
    expect(chosen(queue, { apartFrom: 2 })).toBe(1);
    expect(chosen(queueOf(slotsOf(worker(1, { window: 1, calls: [one] }))), {})).toBeUndefined();
  });

  test('a call with a key goes to the worker of its slot, and waits for that while it is full', () => {
    const key = 'key';
    const home = slotOfKey(key, 2);
    const full = worker(home + 1, { window: 1, calls: [one] });
    const slots = home === 0 ? slotsOf(full, worker(2)) : slotsOf(worker(1), full);
    expect(slotOfTarget(queueOf(slots), { ...anyWorker, key })).toBe(home);
    expect(chosen(queueOf(slots), { key })).toBeUndefined();
  });

  test('a key whose slot is empty belongs to any worker once no worker will come', () => {
    const key = 'key';
    const home = slotOfKey(key, 2);
    const slots = home === 0 ? slotsOf(undefined, worker(2)) : slotsOf(worker(1), undefined);
    const of = (isHopeful: boolean) =>
      slotOfTarget(queueOf(slots, { isHopeful }), { ...anyWorker, key });
    expect([of(true), of(false)]).toEqual([home, undefined]);
  });

  test('the owner of a key is asked for among the workers that take calls', () => {
    const asked: (readonly number[])[] = [];
    const homeOf = (_key: string, ids: readonly number[]) => {
      asked.push(ids);
      return 3;
    };
    const slots = slotsOf(worker(1), worker(2, { phase: 'retiring' }), worker(3));
    expect(chosen(queueOf(slots, { homeOf }), { key: 'key' })).toBe(3);
    expect(asked).toEqual([[1, 3]]);
    expect(slotOfTarget(queueOf(slotsOf(undefined), { homeOf }), { ...anyWorker, key: 'a' })).toBe(
      undefined,
    );
  });
});

describe('admit', () => {
  const call = (options?: object, target?: object) => ({
    task: 'echo',
    target: { ...anyWorker, ...target },
    options,
  });
  const busy = () => slotsOf(worker(1, { window: 1, calls: [one] }));
  /** A queue in which a call waits 50 ms for each before it. */
  function measured(size: number, more: Partial<PoolQueue> = {}): PoolQueue {
    const queue = queueOf(busy(), more);
    for (let id = 1; id <= size; id += 1) queue.waiting.push(waiting(id), undefined);
    queue.departures.left(20, 1000, 0);
    return queue;
  }

  test('a call that may not wait is refused, and so is one for a full queue', () => {
    expect(admit(queueOf(busy()), call({}, { apartFrom: 1 }), clock)).toEqual({ kind: 'apart' });
    expect(admit(measured(3), call(), clock)).toEqual({ kind: 'full' });
  });

  test('a call waits as long as the least of its limits and that of the pool', () => {
    expect(admit(measured(2), call(), clock)).toEqual({ kind: 'wait' });
    const refused = (option: string, limit: number, retryAfterMs: number) => ({
      kind: 'overloaded',
      option,
      limit,
      expectedWaitMs: 100,
      retryAfterMs,
    });
    expect(admit(measured(2, { options: { maxQueue: 9, maxWaitMs: 60 } }), call(), clock)).toEqual(
      refused('maxWaitMs', 60, 40),
    );
    expect(admit(measured(2), call({ queueTimeoutMs: 70 }), clock)).toEqual(
      refused('queueTimeoutMs', 70, 30),
    );
    expect(admit(measured(2), call({ timeoutMs: 80 }), clock)).toEqual(
      refused('timeoutMs', 80, 20),
    );
  });

  test('the time that a task takes at its worker counts into `timeoutMs`', () => {
    const queue = measured(1);
    queue.departures.answered('echo', 40);
    expect(admit(queue, call({ timeoutMs: 95 }), clock)).toEqual({ kind: 'wait' });
    expect(admit(queue, call({ timeoutMs: 80 }), clock)).toMatchObject({ kind: 'overloaded' });
  });

  test('the head of the queue waits, and everyone while nothing is known', () => {
    expect(admit(measured(0), call({ queueTimeoutMs: 1 }), clock)).toEqual({ kind: 'wait' });
    const unknown = queueOf(busy());
    unknown.waiting.push(waiting(1), undefined);
    expect(admit(unknown, call({ queueTimeoutMs: 1 }), clock)).toEqual({ kind: 'wait' });
  });

  test('room is that of the queue and of the workers', () => {
    expect(queueRoom(queueOf(slotsOf(worker(1, { window: 4, calls: [one] }))))).toBe(6);
    expect(queueRoom(measured(2))).toBe(1);
    expect(usualWaitMs(measured(2), clock)).toBe(100);
    expect(usualWaitMs(queueOf(slotsOf(worker(1))), clock)).toBe(0);
    expect(hasRoomFor(queueOf(slotsOf(worker(1))), 'key', 0, clock)).toBe(true);
    expect(hasRoomFor(measured(1), 'key', 2, clock)).toBe(false);
  });

  test('a pool is broken when no worker is ready and none is tried', () => {
    const of = (state: string, ...workers: PoolWorker[]) =>
      isBroken({ circuit: { state }, slots: slotsOf(...workers) } as never);
    expect([of('open'), of('half-open'), of('closed'), of('open', worker(1))]).toEqual([
      ...[true, true],
      ...[false, false],
    ]);
  });
});

describe('held-up', () => {
  const sent = { state: 'sent', target: anyWorker, isSpent: false, sentAt: 0, moves: 0 } as const;

  test('calls move that have not begun, and that any worker may run', () => {
    const calls = [
      sent,
      sent,
      { ...sent, state: 'abandoned' },
      { ...sent, isSpent: true },
    ] as const;
    const keyed = { ...sent, target: { ...anyWorker, key: 'key' } };
    const movable = (given: Given) => movableCalls(worker(1, given)).map(({ seq }) => seq);
    expect(movable({ calls: [...calls, keyed], started: 1 })).toEqual([2]);
    expect(movable({ calls, phase: 'retiring' })).toEqual([1, 2]);
    expect(movable({ calls, phase: 'stopping' })).toEqual([]);
    expect(movable({ calls, handle: { reclaim: undefined } as never })).toEqual([]);
  });

  test('a worker helps that takes calls and is not held up, or an empty slot that gets one', () => {
    const held = worker(1);
    const other = worker(2);
    expect(canHelp(held, slotsOf(held, other), true)).toBe(true);
    other.admission.holdUp(0);
    expect(canHelp(held, slotsOf(held, other), true)).toBe(false);
    expect(canHelp(held, slotsOf(held, undefined), true)).toBe(true);
    expect(canHelp(held, slotsOf(held, undefined), false)).toBe(false);
  });

  test('each move doubles the time for which a call stays', () => {
    const calls = [0, 1, 2].map((moves) => ({ ...sent, moves }) as unknown as Call);
    const due = (at: number) => dueToMove(calls, at).length;
    expect([due(0), due(1), due(2), due(3), due(4)]).toEqual([0, 1, 2, 2, 3]);
  });

  test('more checks are needed after a worker that soon sent something, up to four', () => {
    expect([1, 2, 4].map((checks) => checksAfter(checks, 9))).toEqual([2, 4, 4]);
    expect([4, 2, 1].map((checks) => checksAfter(checks, 10))).toEqual([3, 1, 1]);
  });
});

test('a timer is late that fires a quarter of its time after it was due, and 20 ms at least', () => {
  const late = (ms: number, by: number) => isLate({ now: () => 1000 + by } as Clock, 1000, ms);
  expect([late(1000, 250), late(1000, 251)]).toEqual([false, true]);
  expect([late(10, 20), late(10, 21)]).toEqual([false, true]);
});

describe('due', () => {
  test('limits are reduced at random by the jitter, and a worker runs one task at least', () => {
    const recycle = { ...LIMITS, utilisation: 1, jitter: 0.5 };
    expect(recycleLimits({ recycle, random: () => 0.5 })).toEqual({
      tasks: 7.5,
      ageMs: 750,
      rssBytes: 375,
      heapBytes: 37.5,
    });
    expect(recycleLimits({ recycle: { ...recycle, tasks: 1 }, random: () => 1 }).tasks).toBe(1);
  });

  test('a worker is due by its tasks, its age or its memory', () => {
    const load = (memoryBytes: number, heapBytes: number) => {
      const made = worker(1);
      const frame = { kind: 'load', elapsedMs: 1, activeMs: 0, memoryBytes, heapBytes } as const;
      made.load.record(frame, 0, false, 0);
      return made;
    };
    expect([isDue(load(499, 49), 999), isDue(load(500, 0), 0), isDue(load(0, 50), 0)]).toEqual([
      ...[false, true],
      true,
    ]);
    expect(isDue(worker(1), 1000)).toBe(true);
    const busy = worker(1);
    for (let task = 0; task < 10; task += 1) busy.load.answered(1);
    expect(isDue(busy, 0)).toBe(true);
  });

  test('a worker is asked, excused while a task runs, given its time after that, and judged', () => {
    const made = worker(1, { calls: [one], started: 0 });
    const step = (isLate = false) => healthStep(made, isLate);
    expect(step()).toEqual({ kind: 'ask' });
    made.health.setAsked('due');
    expect(step()).toEqual({ kind: 'judge' });
    expect(step(true)).toEqual({ kind: 'wait', asked: 'due' });
    const running = worker(1, { calls: [one], started: 1 });
    running.health.setAsked('due');
    expect(healthStep(running, false)).toEqual({ kind: 'wait', asked: 'excused' });
    expect(mayBeSilent(running)).toBe(true);
    running.health.overdue();
    expect(mayBeSilent(running)).toBe(false);
    made.health.setAsked('excused');
    expect(step()).toEqual({ kind: 'wait', asked: 'due' });
  });
});
