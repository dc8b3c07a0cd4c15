// Tasks of the dispatchers of all kinds.
import { AsyncLocalStorage } from 'node:async_hooks';
import { defineTasks, transferred } from '@ticketing/dispatch';

export default defineTasks({
  double: (number) => number * 2,
  echo: (value) => value,
  fail: () => {
    throw Object.assign(new RangeError('thrown'), { code: 'ETHROWN', cause: new Error('why') });
  },
  exit: () => process.exit(3),
  loop: () => {
    for (;;);
  },
  untilAborted: (_input, { signal, progress }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      progress('waits');
    }),
  report: (times, { progress }) => {
    for (let each = 1; each <= times; each += 1) progress(each);
    return times;
  },
  items: async function* (count) {
    for (let each = 1; each <= count; each += 1) yield each;
  },
  bytes: (length) => transferred(new Uint8Array(length).fill(7)),
  data: (_input, { workerData, slot }) => ({ workerData, slot }),
  context: async () => {
    const store = new AsyncLocalStorage();
    return store.run('kept', async () => {
      await null;
      return store.getStore();
    });
  },
});
