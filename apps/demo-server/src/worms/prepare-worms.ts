import type { Flags } from '../flags/flags.ts';
import type { PreparedWorms, WormFill } from './worm-store.ts';

/**
 * Fills the store that the flags name, unless it has its documents; for no documents there is no store. Loads no driver
 * but the store's.
 */
export async function prepareWorms({ databaseUrl }: Flags, fill: WormFill): Promise<PreparedWorms> {
  if (fill.count === 0) return { location: { kind: 'none', url: '' }, close: async () => {} };
  if (databaseUrl === undefined) {
    const { prepareSqlite } = await import('./prepare-sqlite.ts');
    return prepareSqlite(fill);
  }
  if (databaseUrl.startsWith('mongodb:')) {
    const { prepareMongodb } = await import('./prepare-mongodb.ts');
    return prepareMongodb(databaseUrl, fill);
  }
  const { preparePostgres } = await import('./prepare-postgres.ts');
  return preparePostgres(databaseUrl, fill);
}
