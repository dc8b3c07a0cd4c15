// What the tables on TypeScript in the READMEs of the workers say: which Node runs a module of tasks as it is. With `tsx` Node 20
// does too; that is no dependency of this project.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createForkDispatcher } from '@ticketing/dispatch-fork';
import { createPiscinaDispatcher } from '@ticketing/dispatch-piscina';

const tasks = new URL('tasks-in-typescript.mts', import.meta.url);
writeFileSync(
  tasks,
  `import { defineTasks } from '@ticketing/dispatch';
interface Size { readonly width: number }
export default defineTasks({ halve: (size: Size, { slot }) => size.width / 2 + slot });
`,
);
const [major, minor] = process.versions.node.split('.').map(Number);
const cutsTypes = major > 22 || (major === 22 && minor >= 18);

for (const create of [createForkDispatcher, createPiscinaDispatcher]) {
  const dispatcher = create(tasks, { max: 1 });
  const outcome = await dispatcher.run('halve', { width: 640 }).catch((error) => error);
  await dispatcher.close();
  if (cutsTypes) assert.equal(outcome, 320);
  else {
    assert.match(
      outcome.message,
      /^Workers keep failing to start: Unknown file extension "\.mts" /,
    );
    assert.equal(outcome.cause.code, 'ERR_UNKNOWN_FILE_EXTENSION');
  }
}
console.log(`node ${process.version}: tasks in TypeScript ${cutsTypes ? 'run' : 'need tsx'}`);
