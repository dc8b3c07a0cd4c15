import { availableParallelism } from 'node:os';
import type { Flags } from '../flags/flag-specs.ts';
import { createWormStore } from './create-worm-store.ts';
import type {
  PreparedWorms,
  WormFill,
  WormLocation,
  WormSource,
  WormStore,
  WormStoreKind,
} from './worm-store.ts';

const sources: Record<WormStoreKind, (url: string, flags: Flags) => Promise<WormSource>> = {
  none: async () => ({ find: async () => [], stats: () => null, close: async () => {} }),
  sqlite: async (path, { workers }) => {
    const { openSqlite } = await import('./sqlite.ts');
    const threads = Math.max(1, Math.floor(availableParallelism() / workers));
    return openSqlite(path, { threads });
  },
  postgres: async (url, flags) => {
    const { openPostgres } = await import('./postgres.ts');
    return openPostgres(url, flags);
  },
  mongodb: async (url, flags) => {
    const { openMongodb } = await import('./mongodb.ts');
    return openMongodb(url, flags);
  },
};

/** Opens a store that has its documents, for one serving process. Loads no driver but the store's. */
export async function openWorms({ kind, url }: WormLocation, flags: Flags): Promise<WormStore> {
  const { deadlineMs } = flags;
  return createWormStore(await sources[kind](url, flags), { kind, deadlineMs });
}

/**
 * Fills the store that the flags name, unless it has its documents; for no documents there is no store. Loads no driver
 * but the store's.
 */
export async function prepareWorms({ databaseUrl }: Flags, fill: WormFill): Promise<PreparedWorms> {
  if (fill.count === 0) return { location: { kind: 'none', url: '' }, close: async () => {} };
  if (databaseUrl === undefined) {
    const { prepareSqlite } = await import('./sqlite.ts');
    return prepareSqlite(fill);
  }
  if (databaseUrl.startsWith('mongodb:')) {
    const { prepareMongodb } = await import('./mongodb.ts');
    return prepareMongodb(databaseUrl, fill);
  }
  const { preparePostgres } = await import('./postgres.ts');
  return preparePostgres(databaseUrl, fill);
}
