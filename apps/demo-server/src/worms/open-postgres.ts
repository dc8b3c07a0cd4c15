import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { postgresError } from './postgres-error.ts';
import { MOST_FOUND, WORM_FIELDS, type Worm } from './worm.ts';
import { WormError } from './worm-error.ts';
import type { WormSource } from './worm-store.ts';
import { WORM_TABLE } from './worm-table.ts';

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
  // A connection that is lost leaves the pool by itself, and the question on it fails; nobody has to be told besides.
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

  /** Asks on a connection and gives it back. One that is stuck or whose question is not wanted any more is cut. */
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
      // The server goes on with what nobody reads, unless it is told: by a connection that has taken the place of this one.
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
