// The threads of SQLite: one fills a file, those with `DEMO_WORMS_FILE` in their environment search it.
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { defineTasks, type TaskContext, type TaskModule } from '@ticketing/dispatch';
import { MOST_FOUND, WORM_FIELDS, type Worm, worms } from './worm.ts';

/** Documents that are inserted between two reports of progress. */
const BATCH = 10_000;
/** Documents that are scanned between two checks for an abort; some 5 ms. */
const STRETCH = 100_000;

export type SqliteTasks = {
  /** Makes the file. The progress is the number of documents so far. */
  fill(
    file: { readonly path: string; readonly count: number },
    context: TaskContext,
  ): Promise<void>;
  /** Returns the first documents of a class, in the file of this thread. */
  find(wormClass: string, context: TaskContext): Promise<Worm[]>;
};

const path = process.env['DEMO_WORMS_FILE'];
const reader = path === undefined ? undefined : openReader(path);

const tasks: TaskModule<SqliteTasks> = defineTasks<SqliteTasks>(
  {
    async fill({ path: file, count }, context) {
      const database = new DatabaseSync(file);
      try {
        await fillTable(database, count, context);
      } finally {
        database.close();
      }
    },
    async find(wormClass, { signal }) {
      return reader?.find(wormClass, signal) ?? [];
    },
  },
  { teardown: () => reader?.close() },
);
export default tasks;

async function fillTable(
  database: DatabaseSync,
  count: number,
  context: TaskContext,
): Promise<void> {
  // An incomplete file is thrown away, so nothing has to survive a crash.
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
}

function openReader(file: string) {
  const database = new DatabaseSync(file, { readOnly: true });
  const [row] = database.prepare('SELECT max(id) AS last FROM worms').all();
  const last = Number(row?.['last'] ?? 0);
  const select = database.prepare(
    `SELECT ${WORM_FIELDS} FROM worms WHERE id > ? AND id <= ? AND class = ? ORDER BY id LIMIT ?`,
  );
  return {
    async find(wormClass: string, signal: AbortSignal): Promise<Worm[]> {
      const found: Worm[] = [];
      for (let from = 0; from < last; from += STRETCH) {
        const rows = select.all(from, from + STRETCH, wormClass, MOST_FOUND - found.length);
        found.push(...(rows as unknown as Worm[]));
        if (found.length === MOST_FOUND) break;
        if (from + STRETCH < last) await setImmediate();
        signal.throwIfAborted();
      }
      return found;
    },
    close: () => database.close(),
  };
}
