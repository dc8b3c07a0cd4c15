/** Returns the URL of a program, by its path without an ending: in the sources, or beside this module in the build. */
export function programUrl(name: string): URL {
  const path = import.meta.url.endsWith('.ts') ? `../${name}.ts` : `./${name}.js`;
  return new URL(path, import.meta.url);
}
