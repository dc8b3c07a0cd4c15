import { setTimeout as sleep } from 'node:timers/promises';
import { defineTasks } from '@ticketing/dispatch';

export default defineTasks({
  /** Waits as a query of a database does. */
  read: async (ms: number) => {
    await sleep(ms);
    return ms;
  },
});
