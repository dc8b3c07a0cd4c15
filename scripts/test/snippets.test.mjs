import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, test } from 'vitest';
import { allPages } from '../../docs/site/src/pages/sections.ts';
import { blocksOf, blocksWithoutTest } from '../shared/snippets.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
// Pages of the API are written from docstrings, which the check of the site compiles.
const files = allPages()
  .map(({ file }) => file)
  .filter((file) => !file.startsWith('docs/site/api/'));

test('each block of code of a published page is run by a test, or gives a reason', () => {
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

describe('a page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'snippets-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const write = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const linesWithoutTest = (file) => blocksWithoutTest(folder, file).map(({ line }) => line);
  const block = (language, text = 'x();') => `\`\`\`${language}\n${text}\n\`\`\`\n`;

  it('of a package has a block that its test does not use', () => {
    write('packages/x/README.md', [block('ts'), block('ts'), block('json')].join('\n'));
    write(
      'packages/x/test/readme.test.ts',
      "const readme = read('README.md'); const snippets = readme.matchAll(/```ts/g); run(snippets[0]);",
    );
    expect(linesWithoutTest('packages/x/README.md')).toEqual([5]);
    write('packages/y/README.md', block('ts'));
    expect(linesWithoutTest('packages/y/README.md')).toEqual([1]);
  });

  it('that is a guide runs its commands and files, and nothing else; hidden blocks are not counted', () => {
    const page = `<!-- run: -->\n\n${block('sh')}${block('js title=a.js')}${block('js')}<!--\n${block('js')}-->\n`;
    write('docs/guides/a.md', page);
    expect(linesWithoutTest('docs/guides/a.md')).toEqual([9]);
    write('docs/guides/b.md', page.replace('<!-- run: -->', ''));
    expect(linesWithoutTest('docs/guides/b.md')).toEqual([3, 6, 9]);
  });

  it('of an example shows lines of its sources, and names scripts that it has', () => {
    write('examples/e/package.json', JSON.stringify({ scripts: { test: 'node --test' } }));
    write('examples/e/src/main.ts', 'const load = create(\n  source,\n  { ttlMs: 1 },\n);\n');
    const shown = 'const load = create(source, { …ttlMs: 1 }); // one load';
    write('examples/e/README.md', block('sh', 'npm test') + block('ts', shown));
    expect(linesWithoutTest('examples/e/README.md')).toEqual([]);
    write('examples/e/README.md', block('sh', 'npm start') + block('ts', 'create(source, {});'));
    expect(linesWithoutTest('examples/e/README.md')).toEqual([4, 1]);
  });

  it('may give the reason why a block is not run', () => {
    const [marked] = blocksOf(`<!-- not run: needs three machines -->\n\n${block('sh')}`);
    expect(marked).toMatchObject({ mark: 'needs three machines', line: 3 });
  });
});
