import { readdirSync, readFileSync } from 'node:fs';

/** Returns the processor time of a process and its descendants, in milliseconds. Linux alone. */
export function cpuMsOf(root: number): number {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), parentOf(name)] as const),
  );
  const isOwn = (pid: number | undefined): boolean =>
    pid === root || (pid !== undefined && isOwn(parents.get(pid)));
  return [...parents.keys()]
    .filter(isOwn)
    .flatMap((pid) => textsOf(`/proc/${pid}/task`, 'schedstat'))
    .reduce((sum, text) => sum + Number(text.split(' ')[0]) / 1e6, 0);
}

/** Returns the parent of a process, `undefined` if it has ended. */
function parentOf(pid: string): number | undefined {
  const [stat] = textsOf('/proc', 'stat', [pid]);
  // The name of the program, in brackets, may have any characters.
  const [, parent] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  return parent === undefined ? undefined : Number(parent);
}

/** Returns a file of each subfolder. Processes and threads end meanwhile: theirs are left out. */
function textsOf(folder: string, file: string, names?: readonly string[]): string[] {
  try {
    return (names ?? readdirSync(folder)).flatMap((name) => {
      try {
        return readFileSync(`${folder}/${name}/${file}`, 'utf8');
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}
