import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createManualClock, until } from '@ticketing/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import { Reloads } from '../src/watch/reloads.ts';
import { watchFiles } from '../src/watch/watch-files.ts';

/** A folder with files, and a watch of some of it. */
function watchIn(files: readonly string[], watched: readonly string[] = ['program']) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ticketing-watch-')));
  const write = (path: string, text = ''): void => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const file of files) write(file);
  const seen = new Set<string>();
  const errors: Error[] = [];
  const watch = watchFiles(
    watched.map((path) => join(folder, path)),
    {
      changed: (path) => seen.add(relative(folder, path)),
      failed: (error) => errors.push(error),
    },
  );
  onTestFinished(() => {
    watch.close();
    rmSync(folder, { recursive: true, force: true });
  });
  /** Resolves once a change of the last file is seen, with all that were seen before. */
  const seenUntil = async (path: string): Promise<string[]> => {
    await until(() => seen.has(path));
    const paths = [...seen];
    seen.clear();
    return paths;
  };
  return { folder, write, seen, errors, watch, seenUntil };
}

test('watchFiles() reports code in a folder and below, not packages, hidden names or data', async () => {
  const { write, seenUntil } = watchIn([
    'program/server.ts',
    'program/inner/deep/part.mjs',
    'program/node_modules/a/index.js',
    'program/.cache/index.js',
  ]);
  write('program/node_modules/a/index.js', 'changed');
  write('program/.cache/index.js', 'changed');
  write('program/.server.ts.swp', 'changed');
  write('program/data.json', 'changed');
  write('program/inner/deep/part.mjs', 'changed');
  write('program/server.ts', 'changed');
  expect(await seenUntil('program/server.ts')).toEqual([
    'program/inner/deep/part.mjs',
    'program/server.ts',
  ]);
});

test('watchFiles() reports a file that an editor replaces, one that is removed, and files of a folder made later', async () => {
  const { folder, write, seenUntil } = watchIn(['program/server.ts', 'program/old.ts']);
  write('program/server.ts~', 'changed');
  renameSync(join(folder, 'program/server.ts~'), join(folder, 'program/server.ts'));
  await seenUntil('program/server.ts');
  rmSync(join(folder, 'program/old.ts'));
  await seenUntil('program/old.ts');
  // Made elsewhere, so that its files are older than its watch.
  write('elsewhere/inner/new.ts');
  renameSync(join(folder, 'elsewhere'), join(folder, 'program/made'));
  await seenUntil('program/made/inner/new.ts');
  write('program/made/inner/new.ts', 'changed');
  await seenUntil('program/made/inner/new.ts');
});

test('watchFiles() still watches a folder that a compiler removes and makes again', async () => {
  const { folder, write, seenUntil, errors } = watchIn(
    ['dist/server.js', 'dist/in/part.js'],
    ['dist'],
  );
  for (const _ of [1, 2]) {
    rmSync(join(folder, 'dist'), { recursive: true });
    write('dist/in/part.js');
    write('dist/server.js');
    await seenUntil('dist/server.js');
    write('dist/in/part.js', 'changed');
    await seenUntil('dist/in/part.js');
  }
  expect(errors).toEqual([]);
});

test('watchFiles() reports a named file of any kind, and not its neighbours', async () => {
  const { write, seenUntil } = watchIn(['settings.yaml', 'other.js'], ['settings.yaml']);
  write('other.js', 'changed');
  write('settings.yaml', 'changed');
  expect(await seenUntil('settings.yaml')).toEqual(['settings.yaml']);
});

test('watchFiles() refuses more than 1,000 folders, and reports when there are too many later', async () => {
  const folders = Array.from({ length: 996 }, (_, index) => `program/f${index}/a.js`);
  const { folder, write, seenUntil, errors } = watchIn(folders);
  write('elsewhere/a/b/c/d/new.js');
  renameSync(join(folder, 'elsewhere'), join(folder, 'program/made'));
  await until(() => errors.length === 1);
  expect(errors).toEqual([new RangeError('There are more than 1000 folders to watch')]);
  write('program/f995/a.js', 'changed');
  await seenUntil('program/f995/a.js');
  expect(() => watchIn([...folders, 'program/a/b/c/d/e/f.js'])).toThrow(
    'There are more than 1000 folders to watch',
  );
});

test('watchFiles() follows no link in a circle', async () => {
  const { folder, write, seenUntil } = watchIn(['program/server.ts']);
  symlinkSync(folder, join(folder, 'program/again'));
  write('program/server.ts', 'changed');
  await seenUntil('program/server.ts');
});

/** Reloads whose ends the test decides. */
function reloadsOf() {
  const clock = createManualClock();
  const begun: string[][] = [];
  const ends: (() => void)[] = [];
  const reloads = new Reloads(
    {
      begins: (paths) => begun.push([...paths]),
      reload: () => new Promise((resolve) => ends.push(resolve)),
    },
    clock,
  );
  return { clock, begun, ends, reloads };
}

test('many changes cause one reload, 100 ms after the last and at most a second after the first', () => {
  const { clock, begun, reloads } = reloadsOf();
  reloads.add('a');
  clock.advance(99);
  reloads.add('b');
  reloads.add('a');
  clock.advance(99);
  expect(begun).toEqual([]);
  clock.advance(1);
  expect(begun).toEqual([['a', 'b']]);
  const steady = reloadsOf();
  for (let ms = 0; ms < 1000; ms += 50) {
    steady.reloads.add('c');
    steady.clock.advance(50);
  }
  expect(steady.begun).toEqual([['c']]);
});

test('changes during a reload cause one more after it; close() ends them', async () => {
  const { clock, begun, ends, reloads } = reloadsOf();
  reloads.add('a');
  clock.advance(100);
  reloads.add('b');
  reloads.add('c');
  clock.advance(5000);
  expect(begun).toEqual([['a']]);
  ends[0]?.();
  await until(() => clock.pending === 1);
  clock.advance(100);
  expect(begun).toEqual([['a'], ['b', 'c']]);
  reloads.add('d');
  reloads.close();
  ends[1]?.();
  await Promise.resolve();
  reloads.add('e');
  clock.advance(5000);
  expect(begun).toHaveLength(2);
  expect(clock.pending).toBe(0);
});
