import { rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { FlagError } from '@ticketing/cli-kit';
import { DispatchError, type Dispatcher } from '@ticketing/dispatch';
import { createPiscinaDispatcher } from '@ticketing/dispatch-piscina';
import { usableCores } from '@ticketing/kit';
import { programUrl } from '../processes/program-url.ts';
import type { SqliteTasks } from './sqlite-tasks.ts';
import { makeStoreFolder } from './store-folder.ts';
import { WormError } from './worm-error.ts';
import type { WormDatabase, WormFill, WormLimits, WormSource } from './worm-store.ts';

/** SQLite in a temporary folder of this server, filled and searched in threads: a scan does not block the event loop. */
export const sqlite: WormDatabase = { prepare: prepareSqlite, open: openSqlite };

/** @throws FlagError for a Node without `node:sqlite` */
async function prepareSqlite(_url: string, { count, onFilled, signal }: WormFill) {
  if (!isBuiltin('node:sqlite')) {
    throw new FlagError(
      `Cannot start: without --database-url Node must be 22.13 or later, which has node:sqlite, got ${process.version}`,
    );
  }
  const folder = makeStoreFolder();
  const close = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'worms.sqlite');
  const thread = startThreads(1);
  try {
    await thread.run(
      'fill',
      { path, count },
      { signal, onProgress: (filled) => onFilled({ filled: filled as number, count }) },
    );
    return { url: path, close };
  } catch (error) {
    // A thread that still writes would make the file again.
    await thread.close();
    await close();
    throw error;
  } finally {
    await thread.close();
  }
}

async function openSqlite(path: string, { workers }: WormLimits): Promise<WormSource> {
  const threads = startThreads(Math.max(1, Math.floor(usableCores() / workers)), path);
  try {
    await threads.ready();
  } catch (error) {
    await threads.close();
    throw error;
  }
  return {
    async find(wormClass, { signal }) {
      try {
        return await threads.run('find', wormClass, { signal, idempotent: true, retries: 1 });
      } catch (error) {
        throw signal.aborted ? signal.reason : sqliteError(error);
      }
    },
    stats: () => threads.stats(),
    close: () => threads.close(),
  };
}

/** `path`: the file that they search. */
function startThreads(max: number, path?: string): Dispatcher<SqliteTasks> {
  return createPiscinaDispatcher<SqliteTasks>(programUrl('worms/sqlite-tasks'), {
    name: 'worms',
    min: 1,
    max,
    // The warning that node:sqlite is experimental is of no use to users of the demo.
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: { ...process.env, DEMO_WORMS_FILE: path },
  });
}

function sqliteError(cause: unknown): WormError {
  const { message } = cause as Error;
  if (!DispatchError.is(cause)) {
    const failed = `Cannot find worms: SQLite failed (${message})`;
    return new WormError('ERR_DATABASE_FAILED', failed, { cause });
  }
  const isFull = cause.code === 'ERR_QUEUE_FULL';
  return new WormError(isFull ? 'ERR_DATABASE_BUSY' : 'ERR_DATABASE_UNAVAILABLE', message, {
    cause,
  });
}
