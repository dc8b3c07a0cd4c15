import { join } from 'node:path';
import { createMarkdownRenderer } from 'vitepress';
import { expect, test } from 'vitest';
import { repositoryMarkdown } from '../../src/markdown/repository-markdown.ts';
import { slugOf } from '../../src/markdown/slug.ts';
import { root } from '../../src/repository.ts';

const markdown = await createMarkdownRenderer(
  root,
  { config: repositoryMarkdown, anchor: { slugify: slugOf } },
  '/',
);
const render = (source: string, file: string) =>
  markdown.renderAsync(source, { path: join(root, file), relativePath: file, cleanUrls: false });

test('a block with a title shows it above, and is coloured by its language', async () => {
  const html = await render('```js title=src/a.js\nlet a;\n```\n', 'docs/guides/start.md');
  expect(html).toMatch(/^<div class="titled-block"><div class="block-title">src\/a\.js<\/div>/);
  expect(html).toContain('language-js');
  expect(html).not.toContain('title=src');
});

test('links lead to pages, and a source without an address is its text', async () => {
  const html = await render(
    '[a](../reference/core.md#errors) [b](../../turbo.json)',
    'docs/guides/start.md',
  );
  expect(html).toContain('href="/reference/core.html#errors"');
  expect(html).toContain('<span class="source" title="turbo.json in the repository">b</span>');
});

const TABLE = '|  | rate |\n| - | -: |\n| a | 1 ms |\n| b | 3 ms |\n| c | 2 ms |\n';

test('a measured table has a chart above it; its empty head is no head; elsewhere it has none', async () => {
  const html = await render(TABLE, 'docs/measurements/core.md');
  expect(html).toMatch(
    /<figure role="img" aria-label="Chart: rate \(ms\)"><svg[\s\S]*<\/svg>[\s\S]*<table>/,
  );
  expect(html.match(/<svg/g)).toHaveLength(1);
  expect(html).toContain('var(--chart-bar)');
  expect(html.match(/<th\b/g)).toHaveLength(1);
  expect(await render(TABLE, 'docs/reference/core.md')).not.toContain('<svg');
});

test('a comment names a section, and its pages are listed', async () => {
  const html = await render('<!-- pages: discoveries -->', 'docs/site/pages/discoveries/index.md');
  expect(html).toContain('href="/discoveries/localhost-binds-twice.html"');
  expect(html.match(/<li>/g)?.length).toBeGreaterThan(10);
});

test('pictures of HTML are files beside the page', async () => {
  const html = await render('<img src="docs/a.png"><img src="./b.png">', 'README.md');
  expect(html).toContain('src="./docs/a.png"');
  expect(html).toContain('src="./b.png"');
});
