// The thread that fills a file of SQLite.
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { defineTasks, type TaskContext, type TaskModule } from '@ticketing/dispatch';
import { worms } from './generate-worms.ts';
import { WORM_FIELDS } from './worm.ts';

const BATCH = 10_000;

/** What is to be filled. */
interface SqliteFile {
  readonly path: string;
  readonly count: number;
}

export type SqliteFillTasks = {
  /** Makes the file. Its progress is the number of documents so far. */
  fill(file: SqliteFile, context: TaskContext): Promise<void>;
};

async function fill({ path, count }: SqliteFile, context: TaskContext): Promise<void> {
  const database = new DatabaseSync(path);
  try {
    // A file that is not whole is thrown away, so nothing has to survive a crash.
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
    database.exec(
      `CREATE TABLE worms (id INTEGER PRIMARY KEY, class TEXT NOT NULL, name TEXT NOT NULL,
        lengthMm INTEGER NOT NULL, habitat TEXT NOT NULL, foundOn TEXT NOT NULL) STRICT`,
    );
    const insert = database.prepare(`INSERT INTO worms (${WORM_FIELDS}) VALUES (?, ?, ?, ?, ?, ?)`);
    for (let filled = 0; filled < count; ) {
      context.signal.throwIfAborted();
      const last = Math.min(filled + BATCH, count);
      database.exec('BEGIN');
      for (const worm of worms(filled + 1, last)) {
        insert.run(...WORM_FIELDS.map((field) => worm[field]));
      }
      database.exec('COMMIT');
      filled = last;
      context.progress(filled);
      // Lets the progress out, and an abort in.
      await setImmediate();
    }
  } finally {
    database.close();
  }
}

const tasks: TaskModule<SqliteFillTasks> = defineTasks<SqliteFillTasks>({ fill });
export default tasks;
