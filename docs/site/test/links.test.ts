import { expect, test } from 'vitest';
import { checkLinks } from '../src/check/broken-links.ts';
import { targetOf } from '../src/markdown/links.ts';

const address = 'https://code.example/ticketing';

test('a link between pages of the repository leads to the page of the site, with its anchor', () => {
  const page = (href: string, file: string) => targetOf(href, file, undefined);
  expect(page('../reference/batching.md#errors', 'docs/guides/start.md')).toEqual({
    kind: 'page',
    href: '/reference/batching.md#errors',
  });
  expect(page('packages/core', 'README.md')).toEqual({ kind: 'page', href: '/packages/core.md' });
  expect(page('docs/decisions', 'README.md')).toMatchObject({ href: '/decisions/index.md' });
  expect(page('../dispatch/README.md', 'packages/batching/README.md')).toMatchObject({
    href: '/packages/dispatch.md',
  });
  expect(page('#errors', 'README.md')).toEqual({ kind: 'page', href: '#errors' });
});

test('a link to a source leads to the repository, and has no address while the repository has none', () => {
  const href = '../src/index.ts';
  const file = 'packages/core/test/x.md';
  const path = 'packages/core/src/index.ts';
  expect(targetOf(href, file, undefined)).toEqual({ kind: 'file', path });
  expect(targetOf(`${href}#L3`, file, address)).toEqual({
    kind: 'file',
    path,
    href: `${address}/blob/main/${path}#L3`,
  });
  expect(targetOf('../src', file, address)).toMatchObject({
    href: `${address}/tree/main/packages/core/src`,
  });
});

test('a full address of the repository is a link of it, and another one stays', () => {
  const link = `${address}/blob/main/docs/reference/core.md`;
  const known = `${address}/blob/main/docs/reference/batching.md#errors`;
  expect(targetOf(known, 'packages/batching/README.md', address)).toEqual({
    kind: 'page',
    href: '/reference/batching.md#errors',
  });
  expect(targetOf(link.replace('code.', 'other.'), 'README.md', address).kind).toBe('external');
});

test('a link to nothing stays on the site, where the check finds it', () => {
  const { href } = targetOf('nowhere.md', 'docs/guides/start.md', undefined);
  expect(href).toBe('/docs/guides/nowhere.md');
  const html = (body: string) => `<h1 id="top">A</h1>${body}<!-- <a href="/never.html"> -->`;
  const { checked, broken, external } = checkLinks(
    [
      {
        path: '/a.html',
        html: html('<a class="x" href="/b.html#top">b</a><a href="c.html">c</a>'),
      },
      {
        path: '/b.html',
        html: html('<a href="#gone">b</a><img src="/no.png"><a href="https://x.example/">x</a>'),
      },
    ],
    (path) => path === '/icon.svg',
  );
  expect(checked).toBe(5);
  expect(broken).toEqual([
    '/a.html: <a> c.html (no such page)',
    '/b.html: <a> #gone (no such heading)',
    '/b.html: <img> /no.png (no such page)',
  ]);
  expect(external).toEqual(['https://x.example/']);
});
