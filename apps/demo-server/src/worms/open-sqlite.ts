import { DispatchError } from '@ticketing/dispatch';
import type { SqliteFindTasks } from './sqlite-find-tasks.ts';
import { startSqliteThreads } from './sqlite-threads.ts';
import { WormError } from './worm-error.ts';
import type { WormSource } from './worm-store.ts';

/** Opens a file of SQLite to read, in threads: a scan does not keep the event loop. */
export async function openSqlite(
  path: string,
  { threads }: { readonly threads: number },
): Promise<WormSource> {
  const dispatcher = startSqliteThreads<SqliteFindTasks>('sqlite-find-tasks', {
    max: threads,
    file: path,
  });
  try {
    await dispatcher.ready();
  } catch (error) {
    await dispatcher.close();
    throw error;
  }
  return {
    async find(wormClass, { signal }) {
      try {
        return await dispatcher.run('find', wormClass, { signal, idempotent: true, retries: 1 });
      } catch (error) {
        throw signal.aborted ? signal.reason : wormErrorOf(error);
      }
    },
    stats: () => dispatcher.stats(),
    close: () => dispatcher.close(),
  };
}

function wormErrorOf(cause: unknown): WormError {
  const { message } = cause as Error;
  if (!DispatchError.is(cause)) {
    const failed = `Cannot find worms: a file of SQLite that can be read expected, got ${message}`;
    return new WormError('ERR_DATABASE_FAILED', failed, { cause });
  }
  const isFull = cause.code === 'ERR_QUEUE_FULL';
  return new WormError(isFull ? 'ERR_DATABASE_BUSY' : 'ERR_DATABASE_UNAVAILABLE', message, {
    cause,
  });
}
