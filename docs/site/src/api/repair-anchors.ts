import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { slugOf } from '../markdown/slug.ts';

/**
 * Repairs links between pages of the API. typedoc-plugin-markdown counts `Admission.stats` and `AdmissionStats` as one anchor, and links to
 * `#admissionstats-1`, although the page has one such heading: without the number the link leads to it.
 */
export function repairAnchors(folder: string): void {
  const pages = new Map(
    globSync('**/*.md', { cwd: folder }).map((path) => {
      const text = readFileSync(join(folder, path), 'utf8');
      return [path, { text, anchors: anchorsOf(text) }] as const;
    }),
  );
  for (const [path, { text }] of pages) {
    const repaired = text.replaceAll(/\]\(([^)#\s]*)#([\w-]+)-\d+\)/g, (link, target, anchor) => {
      const page = pages.get(target === '' ? path : join(path, '..', target));
      const [, wanted] = /#(.*)\)$/.exec(link) ?? [];
      const isThere = page === undefined || page.anchors.has(wanted ?? '');
      return isThere || !page.anchors.has(anchor) ? link : `](${target}#${anchor})`;
    });
    writeFileSync(join(folder, path), repaired);
  }
}

function anchorsOf(page: string): ReadonlySet<string> {
  const anchors = new Set([...page.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id as string));
  for (const [, heading] of page.matchAll(/^#+ (.+)$/gm)) {
    const slug = slugOf((heading as string).replaceAll('\\', ''));
    let anchor = slug;
    for (let again = 1; anchors.has(anchor); again += 1) anchor = `${slug}-${again}`;
    anchors.add(anchor);
  }
  return anchors;
}
