import { closeSync, fstatSync, openSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import {
  journalClaims,
  openStartJournal,
  type StartJournal,
} from '../../src/process/start-journal.ts';

/** A folder that nobody can create: it would be in a file. */
const nowhere = join(fileURLToPath(import.meta.url), 'none');

const journals: StartJournal[] = [];
afterEach(() => {
  for (const journal of journals.splice(0)) journal.close();
});

function openJournal(folders?: readonly string[]): StartJournal {
  const journal = openStartJournal(folders);
  if (journal === undefined) throw new Error('no journal');
  journals.push(journal);
  return journal;
}

/** Longer than a worker claims calls without a look. */
function pass(): void {
  for (const end = performance.now() + 1; performance.now() < end; );
}

test('read() gives the last number claimed, 0 before', () => {
  const journal = openJournal();
  const claim = journalClaims(journal.fd);
  expect(journal.read()).toBe(0);
  for (const seq of [1, 2, 2 ** 31 + 1, Number.MAX_SAFE_INTEGER]) {
    expect(claim(seq)).toBe(true);
    expect(journal.read()).toBe(seq);
  }
  expect(fstatSync(journal.fd)).toMatchObject({ nlink: 0, size: 280 });
});

test('reclaim() takes back what has not been claimed, and the worker does not claim it', () => {
  const journal = openJournal();
  const claim = journalClaims(journal.fd);
  expect(claim(1)).toBe(true);
  pass();
  expect(journal.reclaim([1, 3, 4])).toEqual([3, 4]);
  expect([2, 3, 4, 5].map(claim)).toEqual([true, false, false, true]);
});

test('reclaim() takes nothing from a worker that has just read the marks', () => {
  const journal = openJournal();
  const claim = journalClaims(journal.fd);
  let taken: readonly number[] = [2];
  // Until the machine lets both follow each other at once.
  for (let seq = 1; taken.length > 0; seq += 300) {
    claim(seq);
    taken = journal.reclaim([seq + 1]);
  }
  expect(taken).toEqual([]);
});

test('reclaim() leaves alone what is too far ahead to be marked apart from what the worker has before it', () => {
  const journal = openJournal();
  const claim = journalClaims(journal.fd);
  expect(journal.reclaim([1, 255, 256, 257])).toEqual([1, 255]);
  expect([1, 255, 256, 257].map(claim)).toEqual([false, false, true, true]);
});

test('whatever the order of claims and reclaims, each call is claimed or taken back, and not both', () => {
  const journal = openJournal();
  const claim = journalClaims(journal.fd);
  const claimed: number[] = [];
  const takenBack: number[] = [];
  for (let seq = 1; seq <= 2000; seq += 1) {
    if (seq % 7 === 0) pass();
    if (seq % 3 === 0) takenBack.push(...journal.reclaim([seq, seq + 1, seq + 5]));
    if (claim(seq)) claimed.push(seq);
    else if (!takenBack.includes(seq)) throw new Error(`${seq} is lost`);
  }
  const both = new Set(takenBack);
  expect(claimed.filter((seq) => both.has(seq))).toEqual([]);
  expect(claimed.length + [...both].filter((seq) => seq <= 2000).length).toBe(2000);
  expect(both.size).toBeGreaterThan(0);
});

test('a worker whose journal is the null device claims every call', () => {
  const fd = openSync(devNull, 'r+');
  expect([1, 2, 3].map(journalClaims(fd))).toEqual([true, true, true]);
  closeSync(fd);
});

test('a journal leaves no file behind', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'journal-'));
  openJournal([folder]);
  expect(readdirSync(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});

test('openStartJournal() uses the first folder that permits a file', () => {
  expect(openJournal([nowhere, tmpdir()]).read()).toBe(0);
});

test('openStartJournal() returns undefined where no file can be created', () => {
  expect(openStartJournal([nowhere, join(nowhere, 'either')])).toBe(undefined);
});
