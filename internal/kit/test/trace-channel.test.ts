import { channel, type TracingChannel, tracingChannel } from 'node:diagnostics_channel';
import { afterEach, expect, test } from 'vitest';
import { traceChannel } from '../src/index.ts';

const prototype = Object.getPrototypeOf(tracingChannel('any')) as TracingChannel<object>;
const own = Object.getOwnPropertyDescriptor(prototype, 'hasSubscribers') as PropertyDescriptor;
afterEach(() => void Object.defineProperty(prototype, 'hasSubscribers', own));

test('traceChannel() is the tracing channel of the platform', () => {
  expect(Object.getPrototypeOf(traceChannel('kit:one'))).toBe(prototype);
});

test('traceChannel() knows its subscribers where the tracing channel of the platform does not', () => {
  Object.defineProperty(prototype, 'hasSubscribers', { value: undefined, configurable: true });
  const traced = traceChannel<{ readonly id: number }>('kit:other');
  expect(traced.hasSubscribers).toBe(false);
  const heard: unknown[] = [];
  const note = (message: unknown): void => void heard.push(message);
  for (const event of ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const) {
    const name = `tracing:kit:other:${event}`;
    channel(name).subscribe(note);
    expect(traced.hasSubscribers).toBe(true);
    traced[event].publish({ id: 1 });
    channel(name).unsubscribe(note);
    expect(traced.hasSubscribers).toBe(false);
  }
  expect(heard).toHaveLength(5);
});
