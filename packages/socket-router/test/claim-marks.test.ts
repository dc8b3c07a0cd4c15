import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  ClaimMarks,
  ClaimsByWorker,
  type ClaimTerms,
  decodeTerms,
  encodeTerms,
  MarkWriter,
  marksPath,
  UNLIMITED,
} from '../src/wire/claim-marks.ts';

function open() {
  const folder = mkdtempSync(join(tmpdir(), 'marks-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, '1');
  const [marks, writer] = [new ClaimMarks(path), new MarkWriter(path)];
  onTestFinished(() => {
    marks.close();
    writer.close();
  });
  return { path, marks, writer };
}

test('a request is claimed once its own mark is written', () => {
  const { marks, writer } = open();
  const terms = Array.from({ length: 50 }, (_, index) => marks.reserve(index));
  expect(new Set(terms.map(({ at }) => at)).size).toBe(50);
  for (const [index, each] of terms.entries()) if (index % 3 === 0) writer.write(each);
  expect(terms.map((each) => marks.has(each))).toEqual(terms.map((_, index) => index % 3 === 0));
});

test('a reused position has no mark of the previous request', () => {
  const { marks, writer } = open();
  const first = marks.reserve(1);
  writer.write(first);
  marks.release(first);
  const second = marks.reserve(2);
  expect([second.at, marks.has(second)]).toEqual([first.at, false]);
  // A worker that was stopped writes late.
  writer.write(first);
  expect(marks.has(second)).toBe(false);
  writer.write(second);
  expect(marks.has(second)).toBe(true);
});

test('terms survive a header; other text is not read as terms', () => {
  const terms = { before: 12_345, at: 0, id: 4_294_967_295 };
  expect(decodeTerms(encodeTerms(terms))).toEqual(terms);
  for (const text of [undefined, '', '1', '1 2', '1 2 x', '-1 2 3', '1 -2 3', 'a b c', ['1 2 3']]) {
    expect(decodeTerms(text)).toBeUndefined();
  }
});

test('no file is left when both sides have closed, and a closed side does nothing', () => {
  const { path, marks, writer } = open();
  const terms = marks.reserve(1);
  writer.write(terms);
  marks.close();
  marks.close();
  expect([marks.has(terms), existsSync(marksPath(path))]).toEqual([false, false]);
  writer.close();
  writer.write(terms);
  expect(existsSync(marksPath(path))).toBe(false);
});

test('a request to a worker is claimed once the worker has marked it; without a file it has no limit', () => {
  const { path, writer } = open();
  const claims = new ClaimsByWorker(7);
  onTestFinished(() => claims.close());
  const [first, second] = [claims.limit(path, 1000.9), claims.limit(path, 1001)];
  expect([first.terms, second.terms]).toMatchObject([
    { before: 1000, at: 0, from: 7 },
    { before: 1001, at: 1, from: 7 },
  ]);
  writer.write(second.terms as ClaimTerms);
  expect([first.isClaimed(), second.isClaimed()]).toEqual([false, true]);
  const none = claims.limit(join(path, 'missing'), 1000);
  expect([none, none.isClaimed()]).toEqual([UNLIMITED, true]);
  none.release();
});

test('marks of a removed worker are closed when its last request has ended', () => {
  const { path } = open();
  const claims = new ClaimsByWorker(7);
  const file = marksPath(path, 7);
  const [first, second] = [claims.limit(path, 1000), claims.limit(path, 1000)];
  claims.keep(new Set());
  first.release();
  expect(existsSync(file)).toBe(true);
  // It is there again, and gone again.
  claims.keep(new Set([path]));
  second.release();
  expect(existsSync(file)).toBe(true);
  expect(claims.limit(path, 1000).terms?.at).toBe(1);
  claims.keep(new Set([path, `${path}0`]));
  expect(existsSync(file)).toBe(true);
  claims.close();
  expect(existsSync(file)).toBe(false);
  const last = claims.limit(path, 1000);
  claims.keep(new Set());
  expect(existsSync(file)).toBe(true);
  last.release();
  expect(existsSync(file)).toBe(false);
  const idle = claims.limit(path, 1000);
  idle.release();
  claims.keep(new Set());
  expect(existsSync(file)).toBe(false);
});
