import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { markStyles } from './carrier-mark.ts';

const BROWSER = fileURLToPath(new URL('../browser/', import.meta.url));
const LOOK = fileURLToPath(new URL('../look/', import.meta.url));

/**
 * Bundles script, what that loads later, style and typeface of pages into a subfolder of `folder` that is named after their bytes, each also compressed by
 * gzip and brotli. Returns its name. Processes that do so at once do not disturb each other.
 */
export function bundleAssets(folder: string, pages: readonly string[]): string {
  const { outputFiles } = buildSync({
    entryPoints: pages
      .flatMap((page) => [`${page}.ts`, `${page}-later.ts`, `${page}.css`])
      .map((file) => join(BROWSER, file))
      .filter(existsSync),
    outdir: folder,
    write: false,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    conditions: ['@ticketing/source'],
    // Modules of the platform are imported by code that no page reaches: they vanish with it.
    external: ['node:*'],
    loader: { '.woff2': 'file' },
    assetNames: '[name]',
    logLevel: 'error',
  });
  const files = new Map<string, Uint8Array>([
    ['icon.svg', readFileSync(join(LOOK, 'icon.svg'))],
    ...outputFiles.map(({ path, text, contents }) => {
      const bytes = path.endsWith('.css') ? Buffer.from(text + markStyles()) : contents;
      return [basename(path), bytes] as const;
    }),
  ]);
  const hash = createHash('sha256');
  for (const [name, bytes] of files) hash.update(name).update(bytes);
  const name = hash.digest('hex').slice(0, 12);
  const target = join(folder, name);
  if (existsSync(target)) return name;
  mkdirSync(folder, { recursive: true });
  const fresh = mkdtempSync(join(folder, '.new-'));
  for (const [file, bytes] of files) {
    writeFileSync(join(fresh, file), bytes);
    // Compressed already.
    if (file.endsWith('.woff2')) continue;
    writeFileSync(join(fresh, `${file}.br`), brotliCompressSync(bytes));
    writeFileSync(join(fresh, `${file}.gz`), gzipSync(bytes, { level: 9 }));
  }
  try {
    renameSync(fresh, target);
  } catch (error) {
    rmSync(fresh, { recursive: true });
    // Another process was first.
    if (!existsSync(target)) throw error;
  }
  return name;
}
