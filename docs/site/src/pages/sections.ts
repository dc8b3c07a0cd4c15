import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../repository.ts';
import { NOT_PAGES, routeOf } from './routes.ts';

/** A page of the site. */
export interface Page {
  /** Path of its Markdown in the repository. */
  readonly file: string;
  /** Path on the site, with `.md`. */
  readonly route: string;
  /** Its first heading, without marks. */
  readonly title: string;
}

/** Folders of the site, by the areas of its navigation. */
export const AREAS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Guides: { guides: 'Guides', migrating: 'Migrating', examples: 'Examples' },
  Reference: { packages: 'Packages', reference: 'Reference', api: 'API' },
  Studies: { studies: 'Studies', measurements: 'Measurements' },
  Reasons: { decisions: 'Decisions', discoveries: 'Discoveries', notes: 'Notes' },
};

/** Returns all pages, in the order of their routes. */
export function allPages(): readonly Page[] {
  return globSync('**/*.md', { cwd: root, exclude: [...NOT_PAGES, '**/.*/**'] })
    .map((file) => ({ file, route: routeOf(file), title: titleOf(join(root, file)) }))
    .sort((a, b) => (a.route < b.route ? -1 : 1));
}

/** Returns the pages of a section but for the one that lists them; the guide to start with is the first. */
export function pagesOf(section: string): readonly Page[] {
  const pages = allPages().filter(
    ({ route }) => route.startsWith(`${section}/`) && !route.endsWith('/index.md'),
  );
  const isFirst = ({ route }: Page) => Number(route === 'guides/start.md');
  return [...pages].sort((a, b) => isFirst(b) - isFirst(a));
}

function titleOf(path: string): string {
  if (!existsSync(path)) return '';
  const [, heading] = /^# (.+)$/m.exec(readFileSync(path, 'utf8')) ?? [];
  return (heading ?? '').replaceAll(/[`*]|\]\([^)]*\)|\[/g, '').replaceAll('\\', '');
}
