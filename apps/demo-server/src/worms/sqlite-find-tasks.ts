// A thread that looks into a file of SQLite, whose path comes by the environment.
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { defineTasks, type TaskContext, type TaskModule } from '@ticketing/dispatch';
import { MOST_FOUND, WORM_FIELDS, type Worm } from './worm.ts';

/** Documents that are looked through before an abort is seen; some 5 ms. */
const STRETCH = 100_000;

export type SqliteFindTasks = {
  find(wormClass: string, context: TaskContext): Promise<Worm[]>;
};

const database = new DatabaseSync(process.env['DEMO_WORMS_FILE'] ?? '', { readOnly: true });
const [row] = database.prepare('SELECT max(id) AS last FROM worms').all();
const last = Number(row?.['last'] ?? 0);
const select = database.prepare(
  `SELECT ${WORM_FIELDS} FROM worms WHERE id > ? AND id <= ? AND class = ? ORDER BY id LIMIT ?`,
);

async function find(wormClass: string, { signal }: TaskContext): Promise<Worm[]> {
  const found: Worm[] = [];
  for (let from = 0; from < last; from += STRETCH) {
    const rows = select.all(from, from + STRETCH, wormClass, MOST_FOUND - found.length);
    found.push(...(rows as unknown as Worm[]));
    if (found.length === MOST_FOUND) break;
    if (from + STRETCH < last) await setImmediate();
    signal.throwIfAborted();
  }
  return found;
}

const tasks: TaskModule<SqliteFindTasks> = defineTasks<SqliteFindTasks>(
  { find },
  { teardown: () => database.close() },
);
export default tasks;
