import { mkdtemp, rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FlagError } from '../flags/flag-values.ts';
import type { SqliteFillTasks } from './sqlite-fill-tasks.ts';
import { startSqliteThreads } from './sqlite-threads.ts';
import type { PreparedWorms, WormFill } from './worm-store.ts';

/**
 * Fills a file of SQLite in a temporary folder of its own, which `close` removes.
 *
 * @throws FlagError for a Node without `node:sqlite`; or the signal's reason. Nothing is left then.
 */
export async function prepareSqlite({ count, onFilled, signal }: WormFill): Promise<PreparedWorms> {
  if (!isBuiltin('node:sqlite')) {
    throw new FlagError(
      `Cannot start: Node 22.13 or later with node:sqlite, or --database-url expected, got ${process.version}`,
    );
  }
  const folder = await mkdtemp(join(tmpdir(), 'ticketing-demo-'));
  const close = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'worms.sqlite');
  const threads = startSqliteThreads<SqliteFillTasks>('sqlite-fill-tasks', { max: 1 });
  try {
    await threads.run(
      'fill',
      { path, count },
      { signal, onProgress: (filled) => onFilled({ filled: filled as number, count }) },
    );
    return { location: { kind: 'sqlite', url: path }, close };
  } catch (error) {
    // A thread that still writes would make the file anew.
    await threads.close();
    await close();
    throw error;
  } finally {
    await threads.close();
  }
}
