import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'tsup';
import type { TestProject } from 'vitest/node';
import config, { outDir } from '../tsup.config.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the built programs, as a URL. */
    readonly programs: string;
  }
}

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Builds the demo as `pnpm build` does, unless it is built already: the tests start what it writes. */
export default async function buildPrograms(project: TestProject): Promise<void> {
  // All tests of a run wait for it.
  if (!isBuilt()) await build({ ...config, config: false, silent: true });
  project.provide('programs', pathToFileURL(outDir).href);
}

/** Whether nothing that a build reads has changed since the last one. */
function isBuilt(): boolean {
  const builtAt = statSync(`${outDir}package.json`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const folders = ['apps', 'packages', 'internal'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(group, name)),
  );
  const sources = folders.flatMap((folder) =>
    ['src', 'package.json', 'tsup.config.ts', 'tsconfig.json'].map((name) => join(folder, name)),
  );
  return ![...sources, 'pnpm-lock.yaml', 'tsconfig.base.json'].some((path) =>
    hasChangedSince(join(root, path), builtAt),
  );
}

function hasChangedSince(path: string, time: number): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  // A folder changes with the names in it.
  if (stats.mtimeMs >= time) return true;
  return (
    stats.isDirectory() && readdirSync(path).some((name) => hasChangedSince(join(path, name), time))
  );
}
