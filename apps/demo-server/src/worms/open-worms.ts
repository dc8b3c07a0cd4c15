import { availableParallelism } from 'node:os';
import type { Flags } from '../flags/flags.ts';
import { createWormStore } from './create-worm-store.ts';
import type { WormLocation, WormSource, WormStore } from './worm-store.ts';

/** Opens a store that has its documents, for one serving process. */
export async function openWorms(location: WormLocation, flags: Flags): Promise<WormStore> {
  const { deadlineMs } = flags;
  return createWormStore(await sourceOf(location, flags), { kind: location.kind, deadlineMs });
}

async function sourceOf({ url }: WormLocation, { workers }: Flags): Promise<WormSource> {
  const { openSqlite } = await import('./open-sqlite.ts');
  return openSqlite(url, { threads: Math.max(1, Math.floor(availableParallelism() / workers)) });
}
