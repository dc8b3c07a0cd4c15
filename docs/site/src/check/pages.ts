import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A page as it was built. */
export interface BuiltPage {
  /** Path on the site, such as `/guides/jest.html`. */
  readonly path: string;
  readonly html: string;
}

/** Returns the pages that a build has written, without `404.html`. */
export function builtPages(folder: string): readonly BuiltPage[] {
  return globSync('**/*.html', { cwd: folder })
    .filter((path) => path !== '404.html')
    .sort()
    .map((path) => ({ path: `/${path}`, html: readFileSync(join(folder, path), 'utf8') }));
}

/** Returns the size of all files of a folder. */
export function sizeOf(folder: string): { readonly files: number; readonly bytes: number } {
  const sizes = globSync('**/*', { cwd: folder })
    .map((path) => statSync(join(folder, path)))
    .filter((file) => file.isFile())
    .map(({ size }) => size);
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}
