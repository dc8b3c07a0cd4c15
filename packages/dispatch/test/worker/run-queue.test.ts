import { expect, test } from 'vitest';
import { RunQueue } from '../../src/worker/run-queue.ts';
import { runFrame } from '../wire-fixture.ts';

function queueOf(byEvents: boolean, ...seqs: readonly number[]) {
  const turns: (() => void)[] = [];
  let resumed = 0;
  const queue = new RunQueue({ byEvents, afterTurn: (resume) => turns.push(resume) }, () => {
    resumed += 1;
  });
  for (const seq of seqs) queue.push(runFrame(seq, undefined));
  return {
    queue,
    turns,
    resumed: () => resumed,
    shift: (now: number) => queue.shift(now)?.seq,
  };
}

test('of frames that may come at any time, calls begin for a millisecond, until the event loop has had a turn', () => {
  const { queue, turns, shift, resumed } = queueOf(false, 1, 2, 3);
  expect([shift(10), shift(11), shift(11.1)]).toEqual([1, 2, undefined]);
  expect(turns).toHaveLength(1);
  queue.settle();
  expect(shift(20)).toBeUndefined();
  turns[0]?.();
  expect([resumed(), shift(20), queue.isEmpty]).toEqual([1, 3, true]);
});

test('of frames that come by events no turn is awaited as long as the calls of each take a millisecond at most', () => {
  const { queue, turns, shift } = queueOf(true, 1, 2);
  expect([shift(10), shift(11)]).toEqual([1, 2]);
  queue.settle();
  queue.push(runFrame(3, undefined));
  expect([shift(20), turns.length]).toEqual([3, 0]);
});

test('of frames that come by events the rest waits for a turn once, and so do frames that come meanwhile', () => {
  const { queue, turns, shift, resumed } = queueOf(true, 1, 2);
  expect([shift(10), shift(11.1)]).toEqual([1, undefined]);
  queue.settle();
  queue.push(runFrame(3, undefined));
  expect([shift(30), turns.length]).toEqual([undefined, 1]);
  queue.remove(2);
  queue.remove(3);
  queue.settle();
  queue.push(runFrame(4, undefined));
  expect(shift(40)).toBeUndefined();
  turns[0]?.();
  expect([resumed(), shift(40), shift(41)]).toEqual([1, 4, undefined]);
});

test('a turn goes on while a call waits', () => {
  const { queue, shift } = queueOf(true, 1, 2);
  expect(shift(10)).toBe(1);
  queue.settle();
  expect(shift(11.1)).toBeUndefined();
});

test('remove() takes a waiting call out once, wherever it is, and no other', () => {
  const { queue, shift } = queueOf(true, 3, 4, 5, 6);
  expect([2, 7, 5, 5, 3].map((seq) => queue.remove(seq))).toEqual([
    false,
    false,
    true,
    false,
    true,
  ]);
  expect([shift(1), shift(1), shift(1)]).toEqual([4, 6, undefined]);
  expect([queue.isEmpty, queue.remove(6)]).toEqual([true, false]);
});

test('after clear() nothing waits, and calls that come later do', () => {
  const { queue, shift } = queueOf(true, 1, 2);
  queue.remove(2);
  queue.clear();
  expect(queue.isEmpty).toBe(true);
  queue.push(runFrame(3, undefined));
  expect(shift(1)).toBe(3);
});
