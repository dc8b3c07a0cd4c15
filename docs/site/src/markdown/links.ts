// Links between files of the repository become links between pages of the site, or links to the repository.
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { indexOf, routeOf } from '../pages/routes.ts';
import { declaredAddress, repositoryAddress, root } from '../repository.ts';

/** Target of a link. */
export type Target =
  /** On the site; `href` may be an anchor alone. */
  | { readonly kind: 'page'; readonly href: string }
  /** Elsewhere on the web. */
  | { readonly kind: 'external'; readonly href: string }
  /** A file that is no page; without `href` while the repository has no address. */
  | { readonly kind: 'file'; readonly path: string; readonly href?: string };

/**
 * Returns the target of a link in a Markdown file, both paths relative to the root of the repository. The result for a file that
 * does not exist is a page, so the check of the built site finds a link that leads nowhere.
 */
export function targetOf(
  href: string,
  file: string,
  address: string | undefined = repositoryAddress(),
): Target {
  if (href.startsWith('#') || href.startsWith('/')) return { kind: 'page', href };
  const inside = pathInRepository(href, address);
  if (inside === undefined && /^[a-z][a-z+.-]*:/i.test(href)) return { kind: 'external', href };
  const [relative = '', hash] = (inside ?? href).split('#');
  const anchor = hash === undefined ? '' : `#${hash}`;
  const path = join(inside === undefined ? dirname(file) : '', decodeURI(relative)).replace(
    /\/$/,
    '',
  );
  const page = pageAt(path);
  if (page !== undefined) return { kind: 'page', href: `/${page}${anchor}` };
  if (!existsSync(join(root, path))) return { kind: 'page', href: `/${path}` };
  if (address === undefined) return { kind: 'file', path };
  const view = statSync(join(root, path)).isDirectory() ? 'tree' : 'blob';
  return { kind: 'file', path, href: `${address}/${view}/main/${path}${anchor}` };
}

/** Returns the path of a link that has the full address of the repository, as those in READMEs of published packages. */
function pathInRepository(href: string, address = declaredAddress()): string | undefined {
  if (!href.startsWith(`${address}/`)) return undefined;
  return /^(?:blob|tree|raw)\/[^/]+\/(.+)$/.exec(href.slice(address.length + 1))?.[1];
}

function pageAt(path: string): string | undefined {
  if (path.startsWith('docs/site/api/')) return routeOf(path);
  if (path.startsWith('internal/')) return undefined;
  const absolute = join(root, path);
  if (!existsSync(absolute)) return undefined;
  if (path.endsWith('.md') && !path.endsWith('CHANGELOG.md')) return routeOf(path);
  if (existsSync(join(absolute, 'README.md'))) return routeOf(join(path, 'README.md'));
  return indexOf(path);
}
