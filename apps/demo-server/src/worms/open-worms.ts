import { availableParallelism } from 'node:os';
import type { Flags } from '../flags/flags.ts';
import { createWormStore } from './create-worm-store.ts';
import type { WormLocation, WormSource, WormStore, WormStoreKind } from './worm-store.ts';

const sources: Record<WormStoreKind, (url: string, flags: Flags) => Promise<WormSource>> = {
  none: async () => ({ find: async () => [], stats: () => null, close: async () => {} }),
  sqlite: async (path, { workers }) => {
    const { openSqlite } = await import('./open-sqlite.ts');
    const threads = Math.max(1, Math.floor(availableParallelism() / workers));
    return openSqlite(path, { threads });
  },
  postgres: async (url, flags) => {
    const { openPostgres } = await import('./open-postgres.ts');
    return openPostgres(url, flags);
  },
  mongodb: async (url, flags) => {
    const { openMongodb } = await import('./open-mongodb.ts');
    return openMongodb(url, flags);
  },
};

/** Opens a store that has its documents, for one serving process. Loads no driver but the store's. */
export async function openWorms({ kind, url }: WormLocation, flags: Flags): Promise<WormStore> {
  const { deadlineMs } = flags;
  return createWormStore(await sources[kind](url, flags), { kind, deadlineMs });
}
