import { existsSync, readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { PageAssets } from './page-frame.ts';

/** Pages that have a style, each `<name>.css`, and most of them a script, `<name>.ts`. */
export const PAGES = ['traveller', 'operator', 'docs', 'styleguide'] as const;
export type PageName = (typeof PAGES)[number];

/** Bundled assets: a folder whose one subfolder is named after the bytes of all files in it. */
export interface Assets {
  /** Folder that `@fastify/static` serves below `/assets/`. */
  readonly folder: string;
  /** True if the assets were built with the program. */
  readonly isBuilt: boolean;
  of(page: PageName): PageAssets;
}

const SOURCES = new URL('../', import.meta.url);
/** Folder beside the bundled programs. */
const BUILT = new URL('./assets/', import.meta.url);

/**
 * Returns the assets: built with the program, or, from sources, bundled at the first call and again after a
 * file has changed.
 */
export async function openAssets(): Promise<Assets> {
  const isBuilt = existsSync(BUILT);
  const folder = isBuilt
    ? fileURLToPath(BUILT)
    : fileURLToPath(new URL('../../../node_modules/.cache/pages/', import.meta.url));
  let changedAt = 0;
  let name = isBuilt ? (readdirSync(folder)[0] ?? '') : '';
  const { bundleAssets } = isBuilt
    ? { bundleAssets: undefined }
    : await import('./bundle-assets.ts');
  return {
    folder,
    isBuilt,
    of(page) {
      if (bundleAssets !== undefined) {
        const newest = newestOf(SOURCES);
        if (newest > changedAt) name = bundleAssets(folder, PAGES);
        changedAt = newest;
      }
      const path = `/assets/${name}/`;
      return {
        icon: `${path}icon.svg`,
        font: `${path}geist-latin.woff2`,
        style: `${path}${page}.css`,
        script: `${path}${page}.js`,
      };
    },
  };
}

/** Returns when a file below a folder was changed last, in epoch ms. */
function newestOf(folder: URL): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return Math.max(...files.map((file) => statSync(new URL(file, folder)).mtimeMs));
}
