import { fileURLToPath } from 'node:url';
import { type DefaultTheme, defineConfig } from 'vitepress';
import { repositoryMarkdown } from '../src/markdown/repository-markdown.ts';
import { slugOf } from '../src/markdown/slug.ts';
import { NOT_PAGES, routeOf } from '../src/pages/routes.ts';
import { AREAS, pagesOf } from '../src/pages/sections.ts';
import { repositoryAddress, root } from '../src/repository.ts';
import { searchOptions } from '../src/search.ts';

const here = fileURLToPath(import.meta.url);
const address = repositoryAddress();

function sidebarOf(sections: Readonly<Record<string, string>>): DefaultTheme.SidebarItem[] {
  return Object.entries(sections).map(([section, text]) => ({
    text,
    link: `/${section}/`,
    items: pagesOf(section).map(({ title, route }) => ({
      text: title,
      link: `/${route.replace(/\.md$/, '.html')}`,
    })),
  }));
}

/** Returns the settings of a page by its kind, which Markdown of the repository does not have in itself. */
function looksOf(route: string): Record<string, unknown> {
  if (route === 'index.md') {
    return { sidebar: false, aside: false, pageClass: 'front', titleTemplate: ':title' };
  }
  // Charts are wide.
  return /^(measurements|studies)\//.test(route) ? { aside: false } : {};
}

export default defineConfig({
  title: '@ticketing',
  description: 'Ask many carriers at once, on every core, and never ask the same thing twice',
  lang: 'en',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/icon.svg' }]],
  // Pages are the Markdown of the repository where it is.
  srcDir: root,
  srcExclude: [...NOT_PAGES],
  rewrites: routeOf,
  outDir: fileURLToPath(new URL('dist', import.meta.url)),
  cacheDir: fileURLToPath(new URL('cache', import.meta.url)),
  // The check of the built site follows every link, anchors and pictures as well.
  ignoreDeadLinks: true,
  markdown: {
    anchor: { slugify: slugOf },
    config: repositoryMarkdown,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  vite: {
    // The icon of the demo's pages, and nothing else.
    publicDir: fileURLToPath(new URL('../public', import.meta.url)),
    plugins: [
      {
        // Pages import Vue, and most of them are outside of the package that has it.
        name: 'vue-of-the-site',
        enforce: 'pre',
        resolveId(id, importer) {
          if (!/^vue(\/|$)/.test(id) || !importer?.endsWith('.md')) return null;
          return this.resolve(id, here, { skipSelf: true });
        },
      },
    ],
    build: { chunkSizeWarningLimit: 8_000 },
  },
  transformPageData: ({ relativePath }) => ({ frontmatter: looksOf(relativePath) }),
  themeConfig: {
    logo: '/icon.svg',
    nav: [
      { text: 'Start', link: '/guides/start.html' },
      ...Object.entries(AREAS).map(([text, sections]) => ({
        text,
        items: Object.entries(sections).map(([section, name]) => ({
          text: name,
          link: `/${section}/`,
        })),
      })),
    ],
    sidebar: Object.fromEntries(
      Object.values(AREAS).flatMap((sections) =>
        Object.keys(sections).map((section) => [`/${section}/`, sidebarOf(sections)]),
      ),
    ),
    outline: { level: [2, 3] },
    search: { provider: 'local', options: searchOptions },
    ...(address === undefined ? {} : { socialLinks: [{ icon: 'git', link: address }] }),
    docFooter: { prev: false, next: false },
  },
});
