import { fstatSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStartJournal, startWriter } from '../src/process/start-journal.ts';

test('read() gives the last number written, 0 before', () => {
  const journal = openStartJournal();
  if (journal === undefined) throw new Error('no journal');
  const write = startWriter(journal.fd);
  expect(journal.read()).toBe(0);
  for (const seq of [1, 2, 2 ** 31 + 1, Number.MAX_SAFE_INTEGER]) {
    write(seq);
    expect(journal.read()).toBe(seq);
  }
  expect(fstatSync(journal.fd)).toMatchObject({ nlink: 0, size: 8 });
  journal.close();
  expect(() => journal.read()).toThrow('EBADF');
});

test('a journal leaves no file behind', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'journal-'));
  const journal = openStartJournal([folder]);
  expect(readdirSync(folder)).toEqual([]);
  journal?.close();
  await rm(folder, { recursive: true });
});

test('openStartJournal() takes the first folder that lets it make a file', () => {
  const journal = openStartJournal(['/nonexistent', tmpdir()]);
  expect(journal?.read()).toBe(0);
  journal?.close();
});

test('openStartJournal() gives nothing where no file can be made', () => {
  expect(openStartJournal(['/nonexistent', '/nonexistent/either'])).toBe(undefined);
});
