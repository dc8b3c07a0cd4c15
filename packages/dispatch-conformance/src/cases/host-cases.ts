import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { pathToFileURL } from 'node:url';
import { type CaseDraft, needsIsolation, needsProcess } from '../conformance-case.ts';
import { conformanceModule } from '../conformance-modules.ts';
import type { Stage } from '../stage.ts';

/** Hosts that lack what others have, and tasks that take it away. */
export const hostCases: readonly CaseDraft[] = [
  {
    name: 'tasks run where the folder for temporary files is missing',
    unless: needsIsolation,
    act: (stage) => withTemporaryFolder('/nonexistent', () => runsTasks(stage)),
  },
  {
    name: 'tasks run where no file can be made at all',
    unless: needsIsolation,
    act: (stage) => withoutNewFiles(() => runsTasks(stage)),
  },
  {
    name: 'a worker whose memory cannot be read goes on',
    unless: needsProcess,
    async act(stage) {
      const module = moduleAfter(
        stage,
        `process.memoryUsage.rss = () => { throw new Error('EMFILE: too many open files'); };`,
      );
      const dispatcher = await stage.ready({}, module);
      // It is asked for after 20 ms.
      for (let task = 0; task < 3; task += 1) await dispatcher.run('spin', { ms: 25 });
      const { lost, spawned, workers } = dispatcher.stats();
      assert.deepEqual({ lost, spawned }, { lost: 0, spawned: 1 });
      assert.equal(workers[0]?.memoryBytes, undefined);
    },
  },
  {
    name: 'a task that puts something silent in place of process.send is answered',
    unless: needsProcess,
    async act(stage) {
      const module = moduleAfter(stage, 'export const silent = (process.send = () => true);');
      const dispatcher = await stage.ready({}, module);
      assert.equal(await dispatcher.run('echo', 1), 1);
    },
  },
];

async function runsTasks(stage: Stage): Promise<void> {
  const dispatcher = await stage.ready({ max: 2, min: 2 });
  const answers = await Promise.all([1, 2, 3, 4].map((value) => dispatcher.run('echo', value)));
  assert.deepEqual(answers, [1, 2, 3, 4]);
  const { lost, spawned } = dispatcher.stats();
  assert.deepEqual({ lost, spawned }, { lost: 0, spawned: 2 });
}

/** The usual tasks, after a statement that the worker runs first. */
function moduleAfter(stage: Stage, statement: string): URL {
  const first = pathToFileURL(stage.scratch.write('first.mjs', statement));
  const lines = [
    `import ${JSON.stringify(first.href)};`,
    `export { default } from ${JSON.stringify(conformanceModule.href)};`,
  ];
  return pathToFileURL(stage.scratch.write('after.mjs', lines.join('\n')));
}

async function withTemporaryFolder(folder: string, act: () => Promise<void>): Promise<void> {
  const { env } = process as { readonly env: { TMPDIR?: string } };
  const { TMPDIR } = env;
  env.TMPDIR = folder;
  try {
    await act();
  } finally {
    if (TMPDIR === undefined) delete env.TMPDIR;
    else env.TMPDIR = TMPDIR;
  }
}

/** As with a read-only root without any memory that is a folder. */
async function withoutNewFiles(act: () => Promise<void>): Promise<void> {
  const { openSync } = fs;
  fs.openSync = (path, flags, mode) => {
    if (!String(flags).includes('x')) return openSync(path, flags, mode);
    throw Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' });
  };
  syncBuiltinESMExports();
  try {
    await act();
  } finally {
    fs.openSync = openSync;
    syncBuiltinESMExports();
  }
}
