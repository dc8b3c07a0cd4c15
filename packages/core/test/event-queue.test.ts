import { expect, test, vi } from 'vitest';
import { createEventQueue } from '../src/scatter/event-queue.ts';

const end = { done: true, value: undefined };
const value = (number: number) => ({ done: false, value: number });

test('createEventQueue() yields what was pushed, before and after it was asked for', async () => {
  const queue = createEventQueue<number>(vi.fn());
  queue.push(1);
  queue.push(2);
  const asked = [queue.next(), queue.next(), queue.next(), queue.next()];
  queue.push(3);
  queue.end();
  queue.push(4);
  expect(await Promise.all(asked)).toEqual([value(1), value(2), value(3), end]);
  expect(await queue.next()).toEqual(end);
});

test('createEventQueue() fails after the events before it, once', async () => {
  const queue = createEventQueue<number>(vi.fn());
  queue.push(1);
  queue.fail('broken');
  queue.end();
  expect(await queue.next()).toEqual(value(1));
  await expect(queue.next()).rejects.toBe('broken');
  expect(await queue.next()).toEqual(end);
});

test('createEventQueue() rejects the first pending reader and ends the others', async () => {
  const queue = createEventQueue<number>(vi.fn());
  const asked = [queue.next(), queue.next()];
  queue.fail('broken');
  await expect(asked[0]).rejects.toBe('broken');
  expect(await asked[1]).toEqual(end);
});

test('return() ends pending readers at once, drops the rest, and calls onReturn once', async () => {
  const left = vi.fn();
  const queue = createEventQueue<number>(left);
  const asked = [queue.next(), queue.next()];
  expect(await queue.return?.()).toEqual(end);
  expect(await Promise.all(asked)).toEqual([end, end]);
  await queue.return?.();
  queue.push(1);
  queue.fail('late');
  expect(await queue.next()).toEqual(end);
  expect(left).toHaveBeenCalledTimes(1);
});

test('return() does not call onReturn after the end', async () => {
  const left = vi.fn();
  const ended = createEventQueue<number>(left);
  ended.push(1);
  ended.end();
  await ended.return?.();
  expect(await ended.next()).toEqual(end);
  const failed = createEventQueue<number>(left);
  failed.fail('unread');
  await failed.return?.();
  expect(await failed.next()).toEqual(end);
  expect(left).not.toHaveBeenCalled();
});

test('createEventQueue() can be iterated', async () => {
  const queue = createEventQueue<number>(vi.fn());
  for (const number of [1, 2, 3]) queue.push(number);
  queue.end();
  const seen: number[] = [];
  for await (const number of queue) seen.push(number);
  expect(seen).toEqual([1, 2, 3]);
});
