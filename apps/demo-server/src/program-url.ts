/** Returns the URL of a program beside this module, both for sources and for the build. */
export function programUrl(name: string): URL {
  return new URL(`./${name}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
}
