import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { worm, worms } from './generate-worms.ts';
import { MOST_FOUND, WORM_FIELDS, WORM_TABLE, type Worm } from './worm.ts';
import { databaseRefused, WormError, type WormErrorCode } from './worm-error.ts';
import type { PreparedWorms, WormFill, WormSource } from './worm-store.ts';

/** Of the 100 connections that PostgreSQL takes unless told otherwise, those that all serving processes share. */
const CONNECTIONS = 80;
const CONNECTIONS_OF_ONE = 10;
/** Questions that wait for a connection. */
const MAX_WAITING = 10_000;
/** What connections have to end, in milliseconds, before they are cut: a database that is stuck does not answer a farewell. */
const FAREWELL_MS = 1000;

const columns = WORM_FIELDS.map((field) => `"${field}"`).join();
// Without an order a scan of a large table may begin anywhere (synchronize_seqscans).
const select = `SELECT ${columns} FROM ${WORM_TABLE} WHERE class = $1 ORDER BY id LIMIT ${MOST_FOUND}`;

/** Opens a database that has its documents. Connects with the first question. `deadlineMs`: for a statement. */
export function openPostgres(
  url: string,
  { deadlineMs, workers }: { readonly deadlineMs: number; readonly workers: number },
): WormSource {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'ticketing-demo',
    max: Math.max(1, Math.min(CONNECTIONS_OF_ONE, Math.floor(CONNECTIONS / workers))),
    connectionTimeoutMillis: deadlineMs,
    statement_timeout: deadlineMs,
    keepAlive: true,
  });
  const clients = new Set<pg.PoolClient>();
  // A connection that is lost leaves the pool by itself, and the question on it fails; no handler is needed besides.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    clients.add(client);
    client.on('error', () => {});
  });
  pool.on('remove', (client) => clients.delete(client as pg.PoolClient));
  return {
    async find(wormClass, { signal }) {
      if (pool.waitingCount >= MAX_WAITING) {
        const message = `Cannot find worms: at most ${MAX_WAITING} questions that wait expected, got one more`;
        throw new WormError('ERR_DATABASE_BUSY', message);
      }
      try {
        return await queryOn(await pool.connect(), wormClass, signal);
      } catch (error) {
        throw postgresError(error);
      }
    },
    stats: () => ({
      connections: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    async close() {
      const ended = pool.end();
      await Promise.race([ended, setTimeout(FAREWELL_MS, undefined, { ref: false })]);
      for (const client of clients) client.connection.stream.destroy();
      await ended;
    },
  };

  /** Asks on a connection and gives it back. One that is stuck or whose question is no longer wanted is cut. */
  async function queryOn(
    client: pg.PoolClient,
    wormClass: string,
    signal: AbortSignal,
  ): Promise<Worm[]> {
    let isReleased = false;
    const release = (cut: boolean): void => {
      if (isReleased) return;
      isReleased = true;
      client.release(cut);
    };
    const leave = (): void => {
      const { processID } = client as pg.PoolClient & { readonly processID?: number };
      release(true);
      // The server goes on with an unread result unless it is told: by a connection that has taken the place of this one.
      pool.query('SELECT pg_cancel_backend($1)', [processID]).catch(() => {});
    };
    if (signal.aborted) release(false);
    signal.throwIfAborted();
    signal.addEventListener('abort', leave, { once: true });
    try {
      const { rows } = await client.query<Worm>(select, [wormClass]);
      release(false);
      return rows;
    } catch (error) {
      // What the database answered with an error is still a connection in order.
      release(!(error instanceof pg.DatabaseError));
      throw error;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }
}

// PostgreSQL 17, appendix A: error codes, of which the first two characters are the class.
const byState: readonly (readonly [state: RegExp, code: WormErrorCode])[] = [
  // query_canceled, by the statement timeout
  [/^57014$/, 'ERR_DATABASE_TIMEOUT'],
  // connection exception; admin_shutdown, crash_shutdown, cannot_connect_now
  [/^(?:08...|57P0[123])$/, 'ERR_DATABASE_UNAVAILABLE'],
  // insufficient resources, too_many_connections among them
  [/^53...$/, 'ERR_DATABASE_BUSY'],
  [/^[0-9A-Z]{5}$/, 'ERR_DATABASE_FAILED'],
];

/** Sorts what the driver throws. What has no code of the database's is of the connection. */
function postgresError(cause: unknown): WormError {
  const { message, code: state } = cause as { message?: string; code?: string };
  const [, code = 'ERR_DATABASE_UNAVAILABLE'] =
    byState.find(([pattern]) => pattern.test(state ?? '')) ?? [];
  return new WormError(
    code,
    `Cannot find worms: an answer of PostgreSQL expected, got ${message || state}`,
    { cause },
  );
}

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
