import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { allPages } from '../../docs/site/src/pages/sections.ts';
import { blocksOf, blocksWithoutTest } from '../shared/snippets.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
// Pages of the API are written from docstrings, which the check of the site compiles.
const files = allPages()
  .map(({ file }) => file)
  .filter((file) => !file.startsWith('docs/site/api/'));

test('each block of code of a published page is run by a test, or says why it is not', () => {
  const found = files.flatMap((file) =>
    blocksWithoutTest(root, file)
      .filter(({ mark }) => mark === undefined)
      .map(({ line, language, text }) => `${file}:${line} ${language} ${text.split('\n')[0]}`),
  );
  expect(found).toEqual([]);
});

test('few blocks are not run, and each has a reason', () => {
  const marks = files.flatMap((file) =>
    blocksOf(readFileSync(`${root}${file}`, 'utf8')).flatMap(({ mark }) => mark ?? []),
  );
  expect(marks.length).toBeLessThanOrEqual(12);
  for (const mark of marks) expect(mark.split(' ').length).toBeGreaterThan(2);
});
