import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { type AbortWaiter, createSignalListeners } from '../src/signal-listeners.ts';

const countOn = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

/** A waiter that writes down what it was told. */
function waiter(told: unknown[], name: unknown): AbortWaiter {
  return { aborted: (reason) => told.push([name, reason]) };
}

test('10,000 waiters on one signal are one listener, and then none', () => {
  const listeners = createSignalListeners();
  const { signal } = new AbortController();
  const waiters = Array.from({ length: 10_000 }, (_, index) => waiter([], index));
  for (const each of waiters) listeners.add(signal, each);
  expect(countOn(signal)).toBe(1);
  for (const each of waiters.slice(1)) listeners.remove(signal, each);
  expect(countOn(signal)).toBe(1);
  listeners.remove(signal, waiters[0] as AbortWaiter);
  expect(countOn(signal)).toBe(0);
});

test('a signal with one waiter has a listener as long as it waits', () => {
  const listeners = createSignalListeners();
  const { signal } = new AbortController();
  const only = waiter([], 'only');
  for (let round = 0; round < 3; round++) {
    listeners.add(signal, only);
    expect(countOn(signal)).toBe(1);
    listeners.remove(signal, only);
    expect(countOn(signal)).toBe(0);
  }
});

test('an abort tells each waiter the reason, in the order of adding, once', () => {
  const listeners = createSignalListeners();
  const told: unknown[] = [];
  const controller = new AbortController();
  const twice = waiter(told, 'a');
  listeners.add(controller.signal, twice);
  listeners.add(controller.signal, twice);
  for (const name of ['b', 'c']) listeners.add(controller.signal, waiter(told, name));
  controller.abort('why');
  expect(told).toEqual([
    ['a', 'why'],
    ['b', 'why'],
    ['c', 'why'],
  ]);
  expect(countOn(controller.signal)).toBe(0);
});

test('an abort calls the listeners of its own signal alone', () => {
  const listeners = createSignalListeners();
  const told: unknown[] = [];
  const [one, other] = [new AbortController(), new AbortController()];
  listeners.add(one.signal, waiter(told, 'one'));
  listeners.add(other.signal, waiter(told, 'other'));
  other.abort(undefined);
  expect(told).toEqual([['other', other.signal.reason]]);
  expect([countOn(one.signal), countOn(other.signal)]).toEqual([1, 0]);
});

test('a waiter may wait on one signal after another', () => {
  const listeners = createSignalListeners();
  const told: unknown[] = [];
  const [one, other] = [new AbortController(), new AbortController()];
  const both = waiter(told, 'both');
  listeners.add(one.signal, both);
  listeners.remove(other.signal, both);
  listeners.remove(one.signal, both);
  listeners.add(other.signal, both);
  one.abort();
  other.abort('other');
  expect(told).toEqual([['both', 'other']]);
});

test('waiters of many signals in turn are all told, and leave no listener', () => {
  const listeners = createSignalListeners();
  const told: unknown[] = [];
  const controllers = Array.from({ length: 40 }, () => new AbortController());
  const kept: [AbortSignal, AbortWaiter][] = [];
  for (let turn = 0; turn < 5; turn++) {
    for (const [place, { signal }] of controllers.entries()) {
      const each = waiter(told, place);
      listeners.add(signal, each);
      if (place % 2 === 0) kept.push([signal, each]);
    }
  }
  for (const [signal, each] of kept) listeners.remove(signal, each);
  for (const controller of controllers) controller.abort('now');
  const odd = controllers.flatMap((_, place) =>
    place % 2 === 1 ? Array(5).fill([place, 'now']) : [],
  );
  expect(told).toEqual(odd);
  expect(controllers.map(({ signal }) => countOn(signal))).toEqual(Array(40).fill(0));
});

test('a waiter that is removed is not told, also when another removes it during the abort', () => {
  const listeners = createSignalListeners();
  const told: unknown[] = [];
  const { signal, abort } = ((controller) => ({
    signal: controller.signal,
    abort: () => controller.abort('now'),
  }))(new AbortController());
  const [early, late] = [waiter(told, 'early'), waiter(told, 'late')];
  const remover: AbortWaiter = {
    aborted: () => {
      for (const each of [remover, late]) listeners.remove(signal, each);
    },
  };
  for (const each of [early, remover, late, waiter(told, 'last')]) listeners.add(signal, each);
  listeners.remove(signal, early);
  abort();
  expect(told).toEqual([['last', 'now']]);
  expect(countOn(signal)).toBe(0);
});

test('remove() of a waiter that does not wait changes nothing', () => {
  const listeners = createSignalListeners();
  const told: unknown[] = [];
  const controller = new AbortController();
  const stranger = waiter(told, 'stranger');
  listeners.remove(controller.signal, stranger);
  listeners.add(controller.signal, waiter(told, 'a'));
  listeners.remove(controller.signal, stranger);
  listeners.add(controller.signal, waiter(told, 'b'));
  listeners.remove(controller.signal, stranger);
  controller.abort(0);
  listeners.remove(controller.signal, stranger);
  expect(told).toEqual([
    ['a', 0],
    ['b', 0],
  ]);
});

test('a signal that has aborted is not kept alive', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const listeners = createSignalListeners();
  const abortOne = (waiters: number): WeakRef<AbortSignal> => {
    const controller = new AbortController();
    for (let count = 0; count < waiters; count++) listeners.add(controller.signal, waiter([], 0));
    controller.abort();
    return new WeakRef(controller.signal);
  };
  const signals = [abortOne(1), abortOne(2)];
  // A WeakRef holds what it was made of until this turn of the event loop ends.
  await setImmediate();
  collectGarbage();
  expect(signals.map((signal) => signal.deref())).toEqual([undefined, undefined]);
  // Here, lest the listeners themselves are collected before.
  listeners.remove(new AbortController().signal, waiter([], 0));
});
