import { withoutTime } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
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
    const values = Array.from({ length: 50 }, (_, value) => value);
    const answers = await withoutTime(async () => {
      const dispatcher = createInProcessDispatcher(tasks, { clone });
      const echoed = await Promise.all(values.map((value) => dispatcher.run('echo', value)));
      const failed = await dispatcher.run('fail', undefined).catch((error: Error) => error.message);
      const backed = withFallback(dispatcher, createInProcessDispatcher(tasks));
      const last = await backed.run('echo', 1);
      await backed.close();
      return { echoed, failed, last };
    });
    expect(answers).toEqual({ echoed: values, failed: 'no train', last: 1 });
  },
);
