// The tasks of the service, with a decoder that an image can send round for ever.
import { defineTasks, rawJson } from '@ticketing/dispatch';
import service from '../src/tasks.ts';

export default defineTasks({
  ...service.tasks,
  async describe(_png: ArrayBuffer, { progress }) {
    progress('begins');
    // Lets the report leave.
    await new Promise(setImmediate);
    while (progress);
    return rawJson({});
  },
});
