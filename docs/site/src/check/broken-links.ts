import type { BuiltPage } from './pages.ts';

/** Links of a site that lead nowhere, and links that leave it. */
export interface CheckedLinks {
  readonly checked: number;
  readonly broken: readonly string[];
  readonly external: readonly string[];
}

const REFERENCE = /<(\w+)\b[^>]*?\s(href|src|srcset)="([^"]*)"/g;
const ANCHOR = /\s(?:id|name)="([^"]*)"/g;

/**
 * Follows each link, picture and script of the pages. `hasFile` answers for files that are no pages, by their path on the site.
 * Links to other hosts are collected, and not fetched.
 */
export function checkLinks(
  pages: readonly BuiltPage[],
  hasFile: (path: string) => boolean,
): CheckedLinks {
  const anchors = new Map(pages.map(({ path, html }) => [path, anchorsOf(html)]));
  const broken: string[] = [];
  const external = new Set<string>();
  let checked = 0;
  for (const { path, html } of pages) {
    for (const [, tag, attribute, value = ''] of withoutComments(html).matchAll(REFERENCE)) {
      for (const reference of referencesIn(attribute as string, value)) {
        const url = new URL(reference, `http://site.invalid${path}`);
        if (url.protocol === 'data:') continue;
        checked += 1;
        if (url.host !== 'site.invalid') {
          external.add(url.href);
          continue;
        }
        const target = decodeURI(url.pathname).replace(/\/$/, '/index.html');
        const found = anchors.get(target);
        const where = `${path}: <${tag}> ${reference}`;
        if (found === undefined) {
          if (!hasFile(target)) broken.push(`${where} (no such page)`);
        } else if (url.hash !== '' && !found.has(decodeURIComponent(url.hash.slice(1)))) {
          broken.push(`${where} (no such heading)`);
        }
      }
    }
  }
  return { checked, broken, external: [...external].sort() };
}

function anchorsOf(html: string): ReadonlySet<string> {
  return new Set([...html.matchAll(ANCHOR)].map(([, id]) => decoded(id as string)));
}

function referencesIn(attribute: string, value: string): readonly string[] {
  const text = decoded(value);
  if (attribute !== 'srcset') return [text];
  return text.split(',').map((candidate) => candidate.trim().split(/\s+/)[0] as string);
}

function decoded(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
}

function withoutComments(html: string): string {
  return html.replaceAll(/<!--.*?-->/gs, '');
}
