import { defineTasks } from '../../src/define-tasks.ts';
import { transferred } from '../../src/task-results.ts';

/** Tasks of the thread of `serve-tasks.test.ts`. */
export default defineTasks({
  give: (input: unknown) => input,
  moved: () => {
    const bytes = new Uint8Array(80_000);
    const value = { bytes, moved: true };
    return transferred(value, [bytes.buffer]);
  },
  refuse: () => {
    const { buffer } = new Uint8Array(8);
    // Moved away before it is returned: no port takes it again.
    structuredClone(buffer, { transfer: [buffer] });
    return transferred(buffer, [buffer]);
  },
});
