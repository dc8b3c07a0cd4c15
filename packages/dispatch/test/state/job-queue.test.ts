import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AGEING_MS, goesBefore, JobQueue, type Queued } from '../../src/kernel/state/job-queue.ts';

/** A job as a caller of the queue makes it. */
function job(order: number, enqueuedAt: number, priority = 0): Queued {
  return { priority, enqueuedAt, order, previous: undefined, next: undefined, list: undefined };
}

function shiftAll(queue: JobQueue<Queued>): number[] {
  const orders: number[] = [];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) orders.push(next.order);
  return orders;
}

test('an empty queue has nothing', () => {
  const queue = new JobQueue();
  expect([queue.size, queue.peek(), queue.shift()]).toEqual([0, undefined, undefined]);
});

test('jobs of one priority go in the order of their arrival', () => {
  const queue = new JobQueue();
  for (const order of [1, 2, 3]) queue.push(job(order, 5));
  expect(shiftAll(queue)).toEqual([1, 2, 3]);
});

test('a higher priority goes first, a step being worth a second of waiting', () => {
  const queue = new JobQueue();
  queue.push(job(1, 0));
  queue.push(job(2, 1));
  queue.push(job(3, AGEING_MS, 1));
  queue.push(job(4, AGEING_MS + 1, 2));
  // Of equals, the one that came first.
  expect(shiftAll(queue)).toEqual([4, 1, 3, 2]);
});

test('before() counts the jobs that would go before a new one, aged ones included', () => {
  const queue = new JobQueue();
  for (let order = 0; order <= 10; order++) queue.push(job(order, order * 100));
  expect([0, -1, 1, 2].map((priority) => queue.before(priority, AGEING_MS))).toEqual([
    11, 11, 0, 0,
  ]);
  // Of eleven that came in a second about four have waited for one second more than 400 ms.
  expect(queue.before(1, AGEING_MS + 400)).toBe(5);
  expect(queue.before(1, 2 * AGEING_MS)).toBe(11);
  queue.shift();
  expect(queue.before(0, AGEING_MS)).toBe(10);
});

test('a low priority does not wait for ever behind higher ones', () => {
  const queue = new JobQueue();
  queue.push(job(0, 0, -1));
  let gone: Queued | undefined;
  let now = 0;
  // One more of priority 1 for each that goes.
  for (let order = 1; gone?.order !== 0; order++) {
    now += 100;
    queue.push(job(order, now, 1));
    gone = queue.shift();
  }
  expect(now).toBe(2 * AGEING_MS);
});

test('putBack() returns jobs to their positions, whatever the order of their return', () => {
  for (const returned of [
    [2, 3, 4],
    [4, 3, 2],
    [3, 4, 2],
  ]) {
    const queue = new JobQueue();
    const jobs = [1, 2, 3, 4, 5].map((order) => job(order, order));
    for (const each of jobs) queue.push(each);
    for (let count = 0; count < 4; count++) queue.shift();
    for (const order of returned) queue.putBack(jobs[order - 1] as Queued);
    expect(shiftAll(queue)).toEqual([2, 3, 4, 5]);
  }
});

test('putBack() of many jobs takes time in proportion to their number, either way round', () => {
  const count = 20_000;
  for (const isReversed of [false, true]) {
    const queue = new JobQueue();
    let steps = 0;
    const jobs = Array.from({ length: count }, (_, order) => {
      const counted = job(order, order);
      return Object.defineProperty(counted, 'order', {
        get: () => {
          steps += 1;
          return order;
        },
      });
    });
    for (const each of isReversed ? jobs.reverse() : jobs) queue.putBack(each);
    expect(steps).toBeLessThan(10 * count);
    expect(queue.size).toBe(count);
  }
});

test('remove() takes a job out once, and only out of its own queue', () => {
  const [queue, other] = [new JobQueue(), new JobQueue()];
  const jobs = [1, 2, 3].map((order) => job(order, order));
  for (const each of jobs) queue.push(each);
  const [, middle] = jobs as [Queued, Queued];
  expect(other.remove(middle)).toBe(false);
  expect(queue.remove(middle)).toBe(true);
  expect(queue.remove(middle)).toBe(false);
  expect(middle).toMatchObject({ previous: undefined, next: undefined, list: undefined });
  expect(queue.size).toBe(2);
  other.push(middle);
  expect(shiftAll(queue)).toEqual([1, 3]);
  expect(shiftAll(other)).toEqual([2]);
});

test('a job does not keep jobs alive that have left the queue', () => {
  const queue = new JobQueue();
  const jobs = [1, 2, 3].map((order) => job(order, order));
  for (const each of jobs) queue.push(each);
  for (const gone of [queue.shift(), queue.shift(), queue.shift()]) {
    expect(gone).toMatchObject({ previous: undefined, next: undefined, list: undefined });
  }
});

type Step =
  | { readonly kind: 'push'; readonly priority: number; readonly afterMs: number }
  | { readonly kind: 'shift' | 'peek' | 'putBack' | 'remove' | 'removeOut'; readonly at: number };

const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('push' as const),
        priority: fc.oneof(
          { weight: 8, arbitrary: fc.constantFrom(0, 1) },
          { weight: 1, arbitrary: fc.integer({ min: -1000, max: 1000 }) },
        ),
        afterMs: fc.oneof(fc.constantFrom(0, AGEING_MS), fc.nat(500)),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constantFrom(
          'shift' as const,
          'shift' as const,
          'peek' as const,
          'putBack' as const,
          'remove' as const,
          'removeOut' as const,
        ),
        at: fc.nat(),
      }),
    },
  ),
  { size: 'max', maxLength: 100 },
);

test('the queue does what a list sorted anew at each step does', () => {
  fc.assert(
    fc.property(steps, (given: readonly Step[]) => {
      const queue = new JobQueue();
      const inside: Queued[] = [];
      const outside: Queued[] = [];
      let now = 0;
      let order = 0;
      const sorted = () => inside.sort((one, other) => (goesBefore(one, other) ? -1 : 1));
      const pick = (jobs: Queued[], at: number) => jobs.splice(at % jobs.length, 1)[0] as Queued;
      for (const step of given) {
        sorted();
        if (step.kind === 'push') {
          now += step.afterMs;
          order += 1;
          const each = job(order, now, step.priority);
          inside.push(each);
          queue.push(each);
        } else if (step.kind === 'shift') {
          const first = inside.shift();
          expect(queue.shift()).toBe(first);
          if (first !== undefined) outside.push(first);
        } else if (step.kind === 'peek') {
          expect(queue.peek()).toBe(inside[0]);
        } else if (step.kind === 'putBack' && outside.length > 0) {
          const each = pick(outside, step.at);
          inside.push(each);
          queue.putBack(each);
        } else if (step.kind === 'remove' && inside.length > 0) {
          const each = pick(inside, step.at);
          outside.push(each);
          expect(queue.remove(each)).toBe(true);
        } else if (step.kind === 'removeOut' && outside.length > 0) {
          expect(queue.remove(outside[step.at % outside.length] as Queued)).toBe(false);
        }
        expect(queue.size).toBe(inside.length);
      }
      const orders = sorted().map((each) => each.order);
      expect(shiftAll(queue)).toEqual(orders);
    }),
    { numRuns: 300 },
  );
});
