import { mkdtemp, rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DispatchError, type Dispatcher, type TaskMap } from '@ticketing/dispatch';
import { createPiscinaDispatcher } from '@ticketing/dispatch-piscina';
import { FlagError } from '../flags/flag-values.ts';
import { programUrl } from '../program-url.ts';
import type { SqliteFillTasks } from './sqlite-fill-tasks.ts';
import type { SqliteFindTasks } from './sqlite-find-tasks.ts';
import { WormError } from './worm-error.ts';
import type { PreparedWorms, WormFill, WormSource } from './worm-store.ts';

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

/** Starts threads in which SQLite may block. */
function startSqliteThreads<Tasks extends TaskMap>(
  program: string,
  { max, file }: { readonly max: number; readonly file?: string },
): Dispatcher<Tasks> {
  return createPiscinaDispatcher<Tasks>(programUrl(`worms/${program}`), {
    name: 'worms',
    min: 1,
    max,
    // The warning that node:sqlite is experimental is of no use to users of the demo.
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: { ...process.env, ...(file !== undefined && { DEMO_WORMS_FILE: file }) },
  });
}

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
