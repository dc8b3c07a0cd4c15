import { withoutTime } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { createInProcessDispatcher, defineTasks } from '../src/index.ts';

const tasks = defineTasks({
  echo: async (value: number) => value,
  fail: () => {
    throw new Error('no train');
  },
});

test.each([{ clone: false }, { clone: true }])(
  'calls that need no time are answered under fake timers: %o',
  async ({ clone }) => {
    const values = Array.from({ length: 50 }, (_, value) => value);
    const answers = await withoutTime(async () => {
      const dispatcher = createInProcessDispatcher(tasks, { clone });
      const echoed = await Promise.all(values.map((value) => dispatcher.run('echo', value)));
      const failed = await dispatcher.run('fail', undefined).catch((error: Error) => error.message);
      await dispatcher.close();
      return { echoed, failed };
    });
    expect(answers).toEqual({ echoed: values, failed: 'no train' });
  },
);
