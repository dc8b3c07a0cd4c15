// A child process that runs tasks until its parent disconnects. It loads only what the task needs, so that the child of a
// single search has the best start it can have.
import type { ChildAnswer, ChildCall } from './child-messages.ts';
import type { Call } from './way.ts';

process.on('message', async ({ id, call }: ChildCall) => {
  process.send?.(await answerOf(id, call));
});
process.on('disconnect', () => process.exit());
process.on('SIGINT', () => {});

async function answerOf(id: number, call: Call): Promise<ChildAnswer> {
  try {
    return { id, result: await run(call) };
  } catch (error) {
    return { id, error: String(error) };
  }
}

async function run({ task, input }: Call): Promise<unknown> {
  if (task === 'search') return (await import('./search-task.ts')).search(input as never);
  return (await import('./light-tasks.ts')).lightTasks[task](input as never);
}
