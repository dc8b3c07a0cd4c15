import { randomUUID } from 'node:crypto';
import { type Db, MongoClient } from 'mongodb';
import { MOST_FOUND, WORM_TABLE, type Worm, worm, worms } from './worm.ts';
import { databaseRefused, WormError, type WormErrorCode } from './worm-error.ts';
import type { WormDatabase, WormFill, WormLimits, WormSource } from './worm-store.ts';

/** Servers that are filling keep the old collection until the new one is complete. */
export const mongodb: WormDatabase = { prepare: prepareMongodb, open: openMongodb };

const APP = { appName: 'ticketing-demo' } as const;
const CONNECTIONS = 10;

/** Connects at the first question. */
async function openMongodb(url: string, { deadlineMs }: WormLimits): Promise<WormSource> {
  const client = new MongoClient(url, {
    ...APP,
    maxPoolSize: CONNECTIONS,
    waitQueueTimeoutMS: deadlineMs,
    // An unreachable server must be reported as such before the question's deadline.
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

/** A worm as MongoDB keeps it. */
interface WormDocument extends Omit<Worm, 'id'> {
  readonly _id: number;
}

function toDocument({ id, ...rest }: Worm): WormDocument {
  return { _id: id, ...rest };
}

function fromDocument({ _id, ...rest }: WormDocument): Worm {
  return { id: _id, ...rest };
}

/** The server's code for a command that exceeded its `maxTimeMS`. */
const MAX_TIME_EXPIRED = 50;

const byName: Readonly<Record<string, WormErrorCode>> = {
  MongoOperationTimeoutError: 'ERR_DATABASE_TIMEOUT',
  MongoWaitQueueTimeoutError: 'ERR_DATABASE_BUSY',
  MongoServerError: 'ERR_DATABASE_FAILED',
};

/** Gives a driver's error its code. What does not come from the server is an error of the connection. */
function mongodbError(cause: unknown): WormError {
  const { name, message, code: number } = cause as Error & { code?: unknown };
  const code =
    number === MAX_TIME_EXPIRED
      ? 'ERR_DATABASE_TIMEOUT'
      : (byName[name] ?? 'ERR_DATABASE_UNAVAILABLE');
  return new WormError(code, `Cannot find worms: MongoDB failed (${message})`, { cause });
}

const CONNECT_MS = 5000;
const BATCH = 10_000;

async function prepareMongodb(url: string, fill: WormFill) {
  let client: MongoClient | undefined;
  try {
    client = new MongoClient(url, { ...APP, serverSelectionTimeoutMS: CONNECT_MS });
    await client.connect();
    const database = client.db();
    if (!(await isFilled(database, fill.count))) await fillCollection(database, fill);
  } catch (error) {
    fill.signal.throwIfAborted();
    throw databaseRefused(error, url);
  } finally {
    await client?.close();
  }
  return { url };
}

/** True if the database has `count` documents, and the right one in the last place. */
async function isFilled(database: Db, count: number): Promise<boolean> {
  const collection = database.collection<WormDocument>(WORM_TABLE);
  if ((await collection.estimatedDocumentCount()) !== count) return false;
  const last = await collection.findOne({ _id: count });
  return last !== null && JSON.stringify(fromDocument(last)) === JSON.stringify(worm(count));
}

async function fillCollection(database: Db, { count, onFilled, signal }: WormFill): Promise<void> {
  // Another server may be filling at the same time: each fills a collection of its own, and the last one stays.
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
