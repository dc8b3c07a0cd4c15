import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { MOST_FOUND, WORM_FIELDS, WORM_TABLE, type Worm, worm, worms } from './worm.ts';
import { databaseRefused, WormError, type WormErrorCode } from './worm-error.ts';
import type { WormDatabase, WormFill, WormLimits, WormSource } from './worm-store.ts';

/**
 * Servers that start at once fill one after the other; servers that are running keep the old table until the new one is
 * complete.
 */
export const postgres: WormDatabase = { prepare: preparePostgres, open: openPostgres };

/** Connections that all server processes share, of the 100 that PostgreSQL accepts by default. */
const CONNECTIONS = 80;
const CONNECTIONS_OF_ONE = 10;
/** Most questions that wait for a connection. */
const MAX_WAITING = 10_000;
/** Milliseconds that connections get to end before they are destroyed: a database that hangs does not answer. */
const FAREWELL_MS = 1000;

const columns = WORM_FIELDS.map((field) => `"${field}"`).join();
// Without an order a scan of a large table may begin anywhere (synchronize_seqscans).
const select = `SELECT ${columns} FROM ${WORM_TABLE} WHERE class = $1 ORDER BY id LIMIT ${MOST_FOUND}`;

/** Connects at the first question. */
async function openPostgres(url: string, { deadlineMs, workers }: WormLimits): Promise<WormSource> {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'ticketing-demo',
    max: Math.max(1, Math.min(CONNECTIONS_OF_ONE, Math.floor(CONNECTIONS / workers))),
    connectionTimeoutMillis: deadlineMs,
    statement_timeout: deadlineMs,
    keepAlive: true,
  });
  const clients = new Set<pg.PoolClient>();
  // The pool drops a lost connection, whose question fails. Without a listener the error would end this process.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    clients.add(client);
    client.on('error', () => {});
  });
  pool.on('remove', (client) => clients.delete(client as pg.PoolClient));
  return {
    async find(wormClass, { signal }) {
      if (pool.waitingCount >= MAX_WAITING) {
        const message = `Cannot find worms: ${MAX_WAITING} questions wait for a connection already`;
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

  /** Asks on a connection and gives it back. Destroys one that fails, or whose question is aborted. */
  async function queryOn(
    client: pg.PoolClient,
    wormClass: string,
    signal: AbortSignal,
  ): Promise<Worm[]> {
    let isReleased = false;
    const release = (destroy: boolean): void => {
      if (isReleased) return;
      isReleased = true;
      client.release(destroy);
    };
    const onAbort = (): void => {
      const { processID } = client as pg.PoolClient & { readonly processID?: number };
      release(true);
      // The server would go on with an unread result; the pool's next connection cancels it.
      pool.query('SELECT pg_cancel_backend($1)', [processID]).catch(() => {});
    };
    if (signal.aborted) release(false);
    signal.throwIfAborted();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const { rows } = await client.query<Worm>(select, [wormClass]);
      release(false);
      return rows;
    } catch (error) {
      release(isLost(error));
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
}

// PostgreSQL 17, appendix A: error codes, of which the first two characters are the class.
const byState: readonly (readonly [state: RegExp, code: WormErrorCode])[] = [
  // query_canceled, by the statement timeout
  [/^57014$/, 'ERR_DATABASE_TIMEOUT'],
  // connection exception; admin_shutdown, crash_shutdown, cannot_connect_now, database_dropped, idle_session_timeout
  [/^(?:08...|57P0[1-5])$/, 'ERR_DATABASE_UNAVAILABLE'],
  // insufficient resources, too_many_connections among them
  [/^53...$/, 'ERR_DATABASE_BUSY'],
  [/^[0-9A-Z]{5}$/, 'ERR_DATABASE_FAILED'],
];

/**
 * Whether a failed question leaves a connection that is of no use. It does where the database did not answer, and where it said
 * with its last words that it ends the connection: the socket may be open for a while after them.
 */
function isLost(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true;
  return codeOfState(error.code) === 'ERR_DATABASE_UNAVAILABLE';
}

/** Gives the code for a state of the database; without one it is an error of the connection. */
function codeOfState(state = ''): WormErrorCode {
  const [, code = 'ERR_DATABASE_UNAVAILABLE'] =
    byState.find(([pattern]) => pattern.test(state)) ?? [];
  return code;
}

/** Gives a driver's error its code. */
function postgresError(cause: unknown): WormError {
  const { message, code: state } = cause as { message?: string; code?: string };
  return new WormError(
    codeOfState(state),
    `Cannot find worms: PostgreSQL failed (${message || state})`,
    {
      cause,
    },
  );
}

const CONNECT_MS = 5000;
const BATCH = 10_000;
/** Key of the advisory lock: any number that no other program locks. */
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

async function preparePostgres(url: string, fill: WormFill) {
  const { signal } = fill;
  let client: pg.Client | undefined;
  const onAbort = (): void => void client?.end();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    client = new pg.Client({
      connectionString: url,
      application_name: 'ticketing-demo',
      connectionTimeoutMillis: CONNECT_MS,
    });
    // A lost connection fails the statement under way.
    client.on('error', () => {});
    await client.connect();
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    if (!(await isFilled(client, fill.count))) await fillTable(client, fill);
  } catch (error) {
    signal.throwIfAborted();
    throw databaseRefused(error, url);
  } finally {
    signal.removeEventListener('abort', onAbort);
    // The lock ends with the connection.
    await client?.end();
  }
  return { url };
}

/** True if the database has `count` documents, and the right one in the last place. */
async function isFilled(client: pg.Client, count: number): Promise<boolean> {
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
