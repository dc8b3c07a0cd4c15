// Maps files of the repository to pages of the site.
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../repository.ts';

const RULES: readonly (readonly [RegExp, string])[] = [
  [/^README\.md$/, 'index.md'],
  [/^docs\/site\/(?:pages\/|(?=api\/))(.+)$/, '$1'],
  [/^docs\/choosing\.md$/, 'guides/choosing.md'],
  [/^docs\/(batching-channels|dataloader-behaviours)\.md$/, 'reference/$1.md'],
  [/^docs\/studies\.md$/, 'studies/verdicts.md'],
  [/^docs\/([^/]+\.md)$/, 'notes/$1'],
  [/^docs\/architecture\/(.+)$/, 'notes/$1'],
  [/^docs\/(.+)$/, '$1'],
  [/^packages\/([^/]+)\/README\.md$/, 'packages/$1.md'],
  [/^apps\/([^/]+)\/README\.md$/, 'packages/$1.md'],
  [/^experiments\/README\.md$/, 'studies/index.md'],
  [/^experiments\/(.+)\/README\.md$/, 'studies/$1.md'],
  [/^experiments\/(?:load\/)?([^/]+\.md)$/, 'studies/$1'],
  [/^(examples)\/README\.md$/, '$1/index.md'],
  [/^(examples\/.+)\/README\.md$/, '$1.md'],
  [/^AGENTS\.md$/, 'notes/map.md'],
  [/^CONTRIBUTING\.md$/, 'notes/contributing.md'],
  [/^SECURITY\.md$/, 'notes/security.md'],
];

/** Markdown that is no page: patterns for globs at the root of the repository. */
export const NOT_PAGES: readonly string[] = [
  ...replacedLists(),
  '**/node_modules/**',
  '**/dist/**',
  '**/coverage/**',
  '**/CHANGELOG.md',
  '**/test/**',
  'internal/**',
];

/** Returns the page of a Markdown file, both as relative paths with `.md`; `README.md` is `index.md`. */
export function routeOf(file: string): string {
  const rule = RULES.find(([pattern]) => pattern.test(file));
  return rule === undefined ? file : file.replace(rule[0], rule[1]);
}

/** Returns the page that lists what is in a folder of the repository, such as `docs/guides`. */
export function indexOf(folder: string): string | undefined {
  if (folder === 'experiments') return 'studies/index.md';
  if (/^(packages|examples)$/.test(folder)) return `${folder}/index.md`;
  const section = /^docs\/(guides|migrating|reference|measurements|decisions|discoveries)$/.exec(
    folder,
  );
  return section === null ? undefined : `${section[1]}/index.md`;
}

/** Returns the lists of this package for which the repository has a page of its own. */
function replacedLists(): readonly string[] {
  return globSync('docs/site/pages/*/index.md', { cwd: root }).filter((file) => {
    const [, section = ''] = /pages\/(.+)\/index\.md$/.exec(file) ?? [];
    return [`docs/${section}/index.md`, `${section}/README.md`].some((own) =>
      existsSync(join(root, own)),
    );
  });
}
