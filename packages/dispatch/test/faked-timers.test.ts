import { stopTimers } from '@ticketing/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import { createInProcessDispatcher, defineTasks, withFallback } from '../src/index.ts';

const tasks = defineTasks({
  echo: async (value: number) => value,
  fail: () => {
    throw new Error('no train');
  },
});

test.each([{ clone: false }, { clone: true }])(
  'calls that need no time are answered under fake timers: %o',
  async ({ clone }) => {
    onTestFinished(stopTimers());
    const dispatcher = createInProcessDispatcher(tasks, { clone });
    const calls = Array.from({ length: 50 }, (_, value) => dispatcher.run('echo', value));
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 50 }, (_, value) => value));
    await expect(dispatcher.run('fail', undefined)).rejects.toThrow('no train');
    const backed = withFallback(dispatcher, createInProcessDispatcher(tasks));
    expect(await backed.run('echo', 1)).toBe(1);
    await backed.close();
  },
);
