import type { Flags } from '../flags/flags.ts';
import type { PreparedWorms, WormFill } from './worm-store.ts';

/** Fills the store that the flags name, unless it has its documents. Loads no driver but the store's. */
export async function prepareWorms(flags: Flags, fill: WormFill): Promise<PreparedWorms> {
  const { prepareSqlite } = await import('./prepare-sqlite.ts');
  return prepareSqlite(fill);
}
