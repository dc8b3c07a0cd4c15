import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe.each(globSync('{apps,examples}/*/Dockerfile', { cwd: root }))('%s', (path) => {
  const folder = join(root, dirname(path));
  const text = readFileSync(join(root, path), 'utf8');
  const ignored = readFileSync(join(folder, '.dockerignore'), 'utf8').split('\n');
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const copies = [...text.matchAll(/^COPY (.*) \S+$/gm)].map(([, words]) => words.split(' '));

  test('copies only existing files that are not ignored', () => {
    const sources = copies.filter(([first]) => !first.startsWith('--from=')).flat();
    expect(sources.length).toBeGreaterThan(0);
    for (const source of sources) {
      // One that ends with `*` may be missing.
      if (!source.endsWith('*')) expect(existsSync(join(folder, source)), source).toBe(true);
      expect(ignored, source).not.toContain(source);
    }
  });

  test('runs only scripts of the manifest, and starts the same program as its start script', () => {
    for (const [, script] of text.matchAll(/npm run (\w+)/g))
      expect(scripts).toHaveProperty(script);
    const [, command] = /^CMD (.*)$/m.exec(text);
    expect(JSON.parse(command).join(' ')).toBe(scripts.start);
  });

  test('does not send built or installed files to the build', () => {
    expect(ignored).toEqual(expect.arrayContaining(['node_modules', 'dist']));
  });
});
