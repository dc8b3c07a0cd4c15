import { pathToFileURL } from 'node:url';
import { build } from 'tsup';
import type { TestProject } from 'vitest/node';
import config, { outDir } from '../tsup.config.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the built programs, as a URL. */
    readonly programs: string;
  }
}

/** Builds the demo as `pnpm build` does: the tests start what it writes. */
export default async function buildPrograms(project: TestProject): Promise<void> {
  await build({ ...config, config: false, silent: true });
  project.provide('programs', pathToFileURL(outDir).href);
}
