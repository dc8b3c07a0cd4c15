import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { readFlags } from '../src/flags/read-flags.ts';
import { openWorms, prepareWorms } from '../src/worms/worm-databases.ts';
import type { FillListener } from '../src/worms/worm-store.ts';
import { noPostgres, postgresDatabase } from './postgres.ts';

const mongodb = process.env['TEST_MONGODB_URL'];
const noMongodb =
  mongodb === undefined ? '(skipped: needs TEST_MONGODB_URL, see scripts/with-mongodb.mjs)' : '';
/** One contract is held by every store. */
export const stores = [
  { kind: 'sqlite', absent: '', keeps: false, database: async () => undefined },
  { kind: 'postgres', absent: noPostgres, keeps: true, database: postgresDatabase },
  {
    kind: 'mongodb',
    absent: noMongodb,
    keeps: true,
    database: async () => `${mongodb}/test_${randomUUID()}`,
  },
] as const;

export const signal = new AbortController().signal;

interface Wanted {
  readonly count?: number;
  readonly onFilled?: FillListener;
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

/** Fills a store and opens it, until the test ends. */
export async function storeOf(
  databaseUrl: string | undefined,
  wanted: Wanted = {},
  atEnd: (end: () => Promise<void>) => void = onTestFinished,
) {
  const { count = 10_000, deadlineMs = 10_000, onFilled = () => {} } = wanted;
  const argv = ['--worms', String(count), '--deadline-ms', String(deadlineMs)];
  const env = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
  const { flags } = readFlags(argv, env);
  const prepared = await prepareWorms(flags, { count, onFilled, signal: wanted.signal ?? signal });
  atEnd(prepared.close);
  const store = await openWorms(prepared.location, flags);
  atEnd(store.close);
  return store;
}
