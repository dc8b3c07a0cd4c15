import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { onTestFinished } from 'vitest';

/** Where `scripts/with-postgres.mjs` has a server. */
const server: string | undefined = process.env['TEST_POSTGRES_URL'];

/** What is added to the names of tests that are skipped without it. */
export const noPostgres: string =
  server === undefined ? '(skipped: needs TEST_POSTGRES_URL, see scripts/with-postgres.mjs)' : '';

/** Asks a database once. */
export async function askPostgres(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** A database that is empty, and gone when the test, or what else `atEnd` says, has ended. Resolves with its URL. */
export async function postgresDatabase(
  atEnd: (end: () => Promise<void>) => void = onTestFinished,
): Promise<string> {
  const admin = server ?? '';
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await askPostgres(admin, `CREATE DATABASE ${name}`);
  atEnd(async () => {
    await askPostgres(admin, `DROP DATABASE ${name} WITH (FORCE)`);
  });
  return Object.assign(new URL(admin), { pathname: `/${name}` }).href;
}

/** Keeps everybody from the worms of a database until it is released. */
export async function lockWorms(url: string): Promise<{ release(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('BEGIN');
  await client.query('LOCK TABLE ticketing_demo_worms IN ACCESS EXCLUSIVE MODE');
  let released: Promise<void> | undefined;
  const release = (): Promise<void> => (released ??= client.end());
  onTestFinished(release);
  return { release };
}

/** Pids of the server's processes that serve this demo, and what they do. */
export async function backendsOf(
  url: string,
): Promise<{ readonly pid: number; readonly state: string }[]> {
  const rows = await askPostgres(
    url,
    "SELECT pid, state FROM pg_stat_activity WHERE application_name = 'ticketing-demo'",
  );
  return rows as { pid: number; state: string }[];
}
