import { randomUUID } from 'node:crypto';
import { type Db, MongoClient } from 'mongodb';
import { worm, worms } from './generate-worms.ts';
import { MOST_FOUND, WORM_TABLE, type Worm } from './worm.ts';
import { databaseRefused, WormError, type WormErrorCode } from './worm-error.ts';
import type { PreparedWorms, WormFill, WormSource } from './worm-store.ts';

const CONNECTIONS = 10;

/** Opens a database that has its documents. Connects with the first question. `deadlineMs`: for an operation. */
export function openMongodb(
  url: string,
  { deadlineMs }: { readonly deadlineMs: number },
): WormSource {
  const client = new MongoClient(url, {
    appName: 'ticketing-demo',
    maxPoolSize: CONNECTIONS,
    waitQueueTimeoutMS: deadlineMs,
    // A server that is away is said to be so before the question's deadline says that it is late.
    serverSelectionTimeoutMS: Math.ceil(deadlineMs / 2),
    connectTimeoutMS: deadlineMs,
  });
  let [open, used] = [0, 0];
  client.on('connectionCreated', () => open++);
  client.on('connectionClosed', () => open--);
  client.on('connectionCheckedOut', () => used++);
  client.on('connectionCheckedIn', () => used--);
  const collection = client.db().collection<WormDocument>(WORM_TABLE);
  return {
    async find(wormClass, { signal }) {
      try {
        const options = { maxTimeMS: deadlineMs, signal };
        const found = collection.find({ class: wormClass }, options).sort({ _id: 1 });
        return (await found.limit(MOST_FOUND).toArray()).map(fromDocument);
      } catch (error) {
        throw mongodbError(error);
      }
    },
    stats: () => ({ connections: open, used }),
    close: () => client.close(),
  };
}

/** A worm as MongoDB keeps it: its number is the identity. */
export interface WormDocument extends Omit<Worm, 'id'> {
  readonly _id: number;
}

function toDocument({ id, ...rest }: Worm): WormDocument {
  return { _id: id, ...rest };
}

function fromDocument({ _id, ...rest }: WormDocument): Worm {
  return { id: _id, ...rest };
}

/** The server's code of a command that met its `maxTimeMS`. */
const MAX_TIME_EXPIRED = 50;

const byName: Readonly<Record<string, WormErrorCode>> = {
  MongoOperationTimeoutError: 'ERR_DATABASE_TIMEOUT',
  MongoWaitQueueTimeoutError: 'ERR_DATABASE_BUSY',
  MongoServerError: 'ERR_DATABASE_FAILED',
};

/** Sorts what the driver throws. All that is not said by the server is of the connection. */
function mongodbError(cause: unknown): WormError {
  const { name, message, code: number } = cause as Error & { code?: unknown };
  const code =
    number === MAX_TIME_EXPIRED
      ? 'ERR_DATABASE_TIMEOUT'
      : (byName[name] ?? 'ERR_DATABASE_UNAVAILABLE');
  return new WormError(code, `Cannot find worms: an answer of MongoDB expected, got ${message}`, {
    cause,
  });
}

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
