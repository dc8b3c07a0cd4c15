// Measured tables of pages: a line with the day and the command is above each.
import { dirname } from 'node:path';

const MEASURED = /(\d{4}-\d{2}-\d{2}), `(pnpm [^`]+)`/g;

/** Returns `{ date, command }` of each measured table of a page, in order. */
export function tablesOf(page) {
  return [...page.matchAll(MEASURED)].map(([, date, command]) => ({ date, command }));
}

/**
 * Returns the folders whose sources a command measures: of the package with the command, and of the packages of the workspace on which
 * it depends, also indirectly and for its bench alone.
 * @param {string} command `pnpm --filter NAME SCRIPT`, or `pnpm SCRIPT` of the studies
 * @param {ReadonlyMap<string, object>} manifests manifests of the workspace by their paths
 * @throws Error if no package has the name
 */
export function codeOf(command, manifests) {
  const folders = new Map(
    [...manifests].map(([path, manifest]) => [manifest.name, [dirname(path), manifest]]),
  );
  const filtered = /--filter (\S+)/.exec(command)?.[1];
  const [first] =
    [...folders].find(([name, [folder]]) =>
      filtered === undefined ? folder === 'experiments' : name === filtered,
    ) ?? [];
  if (first === undefined) {
    throw new Error(`Cannot find what \`${command}\` measures: no package is named ${filtered}`);
  }
  const found = new Set();
  const left = [first];
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (found.has(name) || !folders.has(name)) continue;
    found.add(name);
    const [, { dependencies = {}, peerDependencies = {}, devDependencies = {} }] =
      folders.get(name);
    // What a dependency is tested with is no part of what is measured.
    const own = name === first ? devDependencies : {};
    left.push(...Object.keys({ ...dependencies, ...peerDependencies, ...own }));
  }
  // What measures is not measured.
  return [...found]
    .map((name) => folders.get(name)[0])
    .filter((folder) => !folder.startsWith('internal/'));
}
