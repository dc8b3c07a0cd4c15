import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { canTakeDescriptors, takeDescriptors } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { SocketFolder } from '../src/router/socket-folder.ts';
import { marksPath } from '../src/wire/claim-marks.ts';

const PID = 4711;

/** Folder with the files of two workers, of which the first has the pid, and marks for requests to the second. */
function folderOfTwo() {
  const folder = new SocketFolder();
  const first = folder.nextPath();
  const second = folder.nextPath();
  const path = dirname(first);
  const files = [first, marksPath(first), marksPath(first, 1), second, marksPath(second)];
  for (const file of [...files, marksPath(second, PID)]) writeFileSync(file, '');
  return { folder, first, path, files: () => readdirSync(path).toSorted() };
}

test('the files of a worker that has ended are removed, and no others', async () => {
  const { folder, first, path, files } = folderOfTwo();
  folder.removeFilesOf({ socketPath: first, pid: PID });
  expect(files()).toEqual(['2', '2.taken']);
  await folder.remove();
  expect(existsSync(path)).toBe(false);
});

test.skipIf(!canTakeDescriptors)(
  'without descriptors its files are removed when the next worker starts, and the folder once there are some',
  async () => {
    const { folder, first, path, files } = folderOfTwo();
    const giveBack = takeDescriptors();
    folder.removeFilesOf({ socketPath: first, pid: PID });
    folder.nextPath();
    giveBack();
    expect(files()).toHaveLength(6);
    folder.nextPath();
    expect(files()).toEqual(['2', '2.taken']);
    const giveBackAgain = takeDescriptors();
    const removed = folder.remove();
    giveBackAgain();
    await removed;
    expect(existsSync(path)).toBe(false);
  },
);
