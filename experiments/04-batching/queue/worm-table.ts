import { DatabaseSync } from 'node:sqlite';

/** Most documents in an answer, as the seed's `limit(10)`. */
const MOST = 10;
const CLASSES = 200;

/** One document. */
export interface WormRow {
  readonly id: number;
  readonly class: string;
  readonly name: string;
}

/** Fills a file with documents whose class has no index: `utilize` and 199 others by turns. */
export function fillWorms(path: string, count: number): void {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = off; PRAGMA synchronous = off');
  database.exec('CREATE TABLE worms (id INTEGER PRIMARY KEY, class TEXT, name TEXT)');
  database
    .prepare(
      `WITH RECURSIVE place(id) AS (VALUES (1) UNION ALL SELECT id + 1 FROM place WHERE id < ?)
       INSERT INTO worms SELECT id, iif(id % ${CLASSES} = 0, 'utilize', 'class' || id % ${CLASSES}),
       'a worm with the number ' || id || ' and a name of some length' FROM place`,
    )
    .run(count);
  database.close();
}

/** Opens the file for reading. */
export function openWorms(path: string): (wormClass: string) => WormRow[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const find = database.prepare(`SELECT id, class, name FROM worms WHERE class = ? LIMIT ${MOST}`);
  return (wormClass) => find.all(wormClass) as unknown as WormRow[];
}
