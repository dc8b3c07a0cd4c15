import type { Observed } from '../events/event.ts';
import { useOf } from './processes.ts';
import type { World } from './world.ts';

/** Looks at all processes and files of a world. */
export function observe(world: World): Observed {
  const known = world.parts();
  const processes: Record<string, number> = {};
  for (const { part } of known) processes[part] = (processes[part] ?? 0) + 1;
  const pids = world.all();
  const strays = pids.filter((pid) => known.every((each) => each.pid !== pid));
  if (strays.length > 0) processes['stray'] = strays.length;
  const uses = pids.flatMap((pid) => useOf(pid) ?? []);
  const descriptors: Record<string, number> = {};
  for (const kind of uses.flatMap((use) => use.descriptors)) {
    descriptors[kind] = (descriptors[kind] ?? 0) + 1;
  }
  return {
    ...{ processes, descriptors, files: world.files() },
    threads: uses.reduce((sum, { threads }) => sum + threads, 0),
    memoryBytes: uses.reduce((sum, { rssBytes }) => sum + rssBytes, 0),
  };
}
