import { existsSync } from 'node:fs';
import { extname } from 'node:path';

/** Program of the workers of a package, which users of a bundle give as `workerUrl`. */
export interface WorkerProgram {
  /** Import specifier of the program. */
  readonly specifier: string;
  /** Name without an ending: one that no program of a user has, because a bundle has other files beside it. */
  readonly file: string;
  /** `import.meta.url` of the module beside it. Bundlers of CommonJS leave it out. */
  readonly beside: string | undefined;
}

/**
 * Returns the URL of a program of workers: the one that was given, or the one beside a module, as TypeScript or JavaScript.
 *
 * @throws TypeError if there is no such file: without it workers would fail one after the other, or another program would run
 */
export function workerProgram(action: string, given: URL | undefined, program: WorkerProgram): URL {
  const { specifier, file, beside } = program;
  const url = given ?? (beside === undefined ? undefined : besideModule(beside, file));
  if (url !== undefined && (url.protocol !== 'file:' || existsSync(url))) return url;
  const wanted = `the URL of a copy of ${specifier}`;
  throw new TypeError(
    given === undefined
      ? `Cannot ${action}: set \`workerUrl\` to ${wanted}: this is a bundle, without ${file} beside it`
      : `Cannot ${action}: \`workerUrl\` must be ${wanted}, got ${given.href}, which does not exist`,
  );
}

function besideModule(module: string, file: string): URL | undefined {
  if (!URL.canParse(module)) return undefined;
  return new URL(`./${file}${extname(new URL(module).pathname)}`, module);
}
