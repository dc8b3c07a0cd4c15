import { randomUUID } from 'node:crypto';
import { type Db, MongoClient } from 'mongodb';
import { databaseRefused } from './database-refused.ts';
import { worm, worms } from './generate-worms.ts';
import { fromDocument, toDocument, type WormDocument } from './mongodb-document.ts';
import type { PreparedWorms, WormFill } from './worm-store.ts';
import { WORM_TABLE } from './worm-table.ts';

const CONNECT_MS = 5000;
const BATCH = 10_000;

/**
 * Fills a collection of MongoDB, unless it has these documents. Servers keep the old one until the new one is whole.
 *
 * @throws FlagError if the database cannot be used; or the signal's reason
 */
export async function prepareMongodb(url: string, fill: WormFill): Promise<PreparedWorms> {
  let client: MongoClient | undefined;
  try {
    client = new MongoClient(url, {
      appName: 'ticketing-demo',
      serverSelectionTimeoutMS: CONNECT_MS,
    });
    await client.connect();
    const database = client.db();
    if (!(await hasThem(database, fill.count))) await fillCollection(database, fill);
  } catch (error) {
    fill.signal.throwIfAborted();
    throw databaseRefused(error, url);
  } finally {
    await client?.close();
  }
  return { location: { kind: 'mongodb', url }, close: async () => {} };
}

/** Whether there are as many as wanted, of which the last one is as it should be. */
async function hasThem(database: Db, count: number): Promise<boolean> {
  const collection = database.collection<WormDocument>(WORM_TABLE);
  if ((await collection.estimatedDocumentCount()) !== count) return false;
  const last = await collection.findOne({ _id: count });
  return last !== null && JSON.stringify(fromDocument(last)) === JSON.stringify(worm(count));
}

async function fillCollection(database: Db, { count, onFilled, signal }: WormFill): Promise<void> {
  // Another server may be filling at the same time: each has a collection of its own, and the last one stays.
  const collection = database.collection<WormDocument>(`${WORM_TABLE}_${randomUUID()}`);
  try {
    for (let filled = 0; filled < count; ) {
      signal.throwIfAborted();
      const last = Math.min(filled + BATCH, count);
      await collection.insertMany([...worms(filled + 1, last)].map(toDocument));
      filled = last;
      onFilled({ filled, count });
    }
    await collection.rename(WORM_TABLE, { dropTarget: true });
  } catch (error) {
    await collection.drop().catch(() => {});
    throw error;
  }
}
