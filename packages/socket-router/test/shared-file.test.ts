import { fstatSync, readSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { InheritedFile } from '../src/source/shared-file.ts';

function fileIn(folder?: string): InheritedFile {
  const file = new InheritedFile(folder);
  onTestFinished(() => file.close());
  return file;
}

test('areas follow one another, and keep what is written into them', () => {
  const file = fileIn(tmpdir());
  const areas = [file.reserve(10), file.reserve(5), file.reserve(1)];
  expect(areas).toEqual([0, 10, 15]);
  for (const [index, at] of areas.entries()) {
    expect(file.write(Buffer.from(`${index}`), at)).toBe(true);
  }
  expect(file.write(Buffer.from('again'), 10)).toBe(true);
  const read = Buffer.alloc(16);
  expect(readSync(file.fd ?? -1, read, 0, 16, 0)).toBe(16);
  expect(read.toString('latin1')).toBe(`0${'\0'.repeat(9)}again2`);
});

test('nothing is written once the file is closed, although another has its descriptor', () => {
  const file = fileIn(tmpdir());
  const { fd } = file;
  file.close();
  file.close();
  // The system gives the lowest number that is free.
  const other = fileIn(tmpdir());
  expect(other.fd).toBe(fd);
  expect(file.fd).toBeUndefined();
  expect(file.write(Buffer.from('a'), 0)).toBe(false);
  expect(fstatSync(other.fd ?? -1).size).toBe(0);
});

test('without a folder that permits files there is no file, and nothing is written', () => {
  const file = fileIn('/dev/null');
  expect(file.fd).toBeUndefined();
  expect(file.write(Buffer.from('a'), 0)).toBe(false);
});

test.runIf(process.platform === 'linux')('the file is in memory', () => {
  expect(fstatSync(fileIn().fd ?? -1).dev).toBe(statSync('/dev/shm').dev);
});
