import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  ClaimMarks,
  decodeTerms,
  encodeTerms,
  MarkWriter,
  marksPath,
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

test('a request is taken once its mark is written, whatever others are', () => {
  const { marks, writer } = open();
  const terms = Array.from({ length: 50 }, (_, index) => marks.reserve(index));
  expect(new Set(terms.map(({ at }) => at)).size).toBe(50);
  for (const [index, each] of terms.entries()) if (index % 3 === 0) writer.write(each);
  expect(terms.map((each) => marks.has(each))).toEqual(terms.map((_, index) => index % 3 === 0));
});

test('a position that is used again has no mark of the request before', () => {
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

test('terms survive a header, and what is none is no terms', () => {
  const terms = { before: 12_345, at: 0, id: 4_294_967_295 };
  expect(decodeTerms(encodeTerms(terms))).toEqual(terms);
  for (const text of [undefined, '', '1', '1 2', '1 2 x', '-1 2 3', '1 -2 3', 'a b c', ['1 2 3']]) {
    expect(decodeTerms(text)).toBeUndefined();
  }
});

test('nothing is left when both sides have closed, and a closed side does nothing', () => {
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
