import { MongoClient } from 'mongodb';
import { fromDocument, type WormDocument } from './mongodb-document.ts';
import { mongodbError } from './mongodb-error.ts';
import { MOST_FOUND } from './worm.ts';
import type { WormSource } from './worm-store.ts';
import { WORM_TABLE } from './worm-table.ts';

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
