import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('each test file with a scale has a name that the long half finds', () => {
  const listed = execFileSync('git', ['ls-files', '-z', '*.test.ts'], {
    cwd: root,
    encoding: 'utf8',
  });
  const files = listed.split('\0').filter((file) => /(?:^|\/)test\//.test(file));
  const scaled = files.filter((file) => {
    const text = readFileSync(`${root}${file}`, 'utf8');
    // Its own tests are `scaled.test.ts`.
    return basename(file) !== 'scaled.test.ts' && /\b(?:scaled|isFullScale)\b[<(]/.test(text);
  });
  expect(scaled.length).toBeGreaterThan(40);
  expect(scaled.filter((file) => !file.endsWith('.scaled.test.ts'))).toEqual([]);
});
