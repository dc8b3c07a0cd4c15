import pg from 'pg';
import { databaseRefused } from './database-refused.ts';
import { worm, worms } from './generate-worms.ts';
import { WORM_FIELDS, type Worm } from './worm.ts';
import type { PreparedWorms, WormFill } from './worm-store.ts';
import { WORM_TABLE } from './worm-table.ts';

const CONNECT_MS = 5000;
const BATCH = 10_000;
/** Any number that no other program locks. */
const LOCK = 0x3017_5eed;
const NEW = `${WORM_TABLE}_new`;

const types: Readonly<Record<keyof Worm, string>> = {
  id: 'integer',
  class: 'text',
  name: 'text',
  lengthMm: 'integer',
  habitat: 'text',
  foundOn: 'text',
};
const columns = WORM_FIELDS.map((field) => `"${field}"`).join();
const create = `CREATE TABLE ${NEW} (${WORM_FIELDS.map((field) => `"${field}" ${types[field]} NOT NULL`)})`;
const arrays = WORM_FIELDS.map((field, index) => `$${index + 1}::${types[field]}[]`);
const insert = `INSERT INTO ${NEW} (${columns}) SELECT * FROM unnest(${arrays})`;

/**
 * Fills a table of PostgreSQL, unless it has these documents. Servers that start at once fill one after the other; those
 * that serve keep the old table until the new one is whole.
 *
 * @throws FlagError if the database cannot be used; or the signal's reason
 */
export async function preparePostgres(url: string, fill: WormFill): Promise<PreparedWorms> {
  const { signal } = fill;
  let client: pg.Client | undefined;
  const leave = (): void => void client?.end();
  signal.addEventListener('abort', leave, { once: true });
  try {
    client = new pg.Client({
      connectionString: url,
      application_name: 'ticketing-demo',
      connectionTimeoutMillis: CONNECT_MS,
    });
    // What fails, fails the statement under way.
    client.on('error', () => {});
    await client.connect();
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    if (!(await hasThem(client, fill.count))) await fillTable(client, fill);
  } catch (error) {
    signal.throwIfAborted();
    throw databaseRefused(error, url);
  } finally {
    signal.removeEventListener('abort', leave);
    // The lock ends with the connection.
    await client?.end();
  }
  return { location: { kind: 'postgres', url }, close: async () => {} };
}

/** Whether there are as many as wanted, of which the last one is as it should be. */
async function hasThem(client: pg.Client, count: number): Promise<boolean> {
  const { rows: found } = await client.query('SELECT to_regclass($1) AS name', [WORM_TABLE]);
  if (!found[0].name) return false;
  const { rows: counted } = await client.query(`SELECT count(*)::integer AS n FROM ${WORM_TABLE}`);
  if (counted[0].n !== count) return false;
  const { rows } = await client.query(`SELECT * FROM ${WORM_TABLE} WHERE id = $1`, [count]);
  return JSON.stringify(rows[0]) === JSON.stringify(worm(count));
}

async function fillTable(client: pg.Client, { count, onFilled, signal }: WormFill): Promise<void> {
  await client.query(`DROP TABLE IF EXISTS ${NEW}`);
  await client.query(create);
  for (let filled = 0; filled < count; ) {
    signal.throwIfAborted();
    const last = Math.min(filled + BATCH, count);
    const batch = [...worms(filled + 1, last)];
    // A statement is a transaction of its own.
    await client.query(
      insert,
      WORM_FIELDS.map((field) => batch.map((one) => one[field])),
    );
    filled = last;
    onFilled({ filled, count });
  }
  await client.query(`ALTER TABLE ${NEW} ADD PRIMARY KEY (id)`);
  await client.query(`ANALYZE ${NEW}`);
  await client.query('BEGIN');
  await client.query(`DROP TABLE IF EXISTS ${WORM_TABLE}`);
  await client.query(`ALTER TABLE ${NEW} RENAME TO ${WORM_TABLE}`);
  await client.query('COMMIT');
}
