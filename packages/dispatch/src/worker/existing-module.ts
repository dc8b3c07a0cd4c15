import { existsSync } from 'node:fs';

/** Endings of a source and of the file that a compiler makes of it, which stays beside the same modules. */
const TWINS: ReadonlyMap<string, string> = new Map([
  ['.ts', '.js'],
  ['.mts', '.mjs'],
  ['.cts', '.cjs'],
  ['.js', '.ts'],
  ['.mjs', '.mts'],
  ['.cjs', '.cts'],
]);

const ENDING = /\.[cm]?[jt]s$/;

/**
 * Returns the address of the module to import: `href`, or, if that file does not exist, the file with the other ending of
 * TypeScript and JavaScript. Compilers rewrite endings of imports but not of `new URL('./tasks.ts', import.meta.url)`, so one
 * address serves sources and their build. If neither exists, it is `href`, whose import fails or is resolved by a loader.
 */
export function existingModule(href: string): string {
  if (!URL.canParse(href)) return href;
  const url = new URL(href);
  if (url.protocol !== 'file:' || existsSync(url)) return href;
  const [ending = ''] = ENDING.exec(url.pathname) ?? [];
  const twin = TWINS.get(ending);
  if (twin === undefined) return href;
  url.pathname = url.pathname.replace(ENDING, twin);
  return existsSync(url) ? url.href : href;
}
