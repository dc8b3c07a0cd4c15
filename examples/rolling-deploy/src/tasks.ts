// Jobs that the primary gives to its workers.
import { defineTasks } from '@ticketing/dispatch';

export default defineTasks({
  /** A service deletes what has expired here; this one says who was asked to. */
  sweep: ({ olderThanMs }: { olderThanMs: number }, { slot }) => ({
    slot,
    pid: process.pid,
    before: new Date(Date.now() - olderThanMs).toISOString(),
  }),
});
