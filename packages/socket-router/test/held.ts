import { Socket } from 'node:net';
import { type HeldConnection, holdConnection, read } from '../src/placing/held-connection.ts';

/** A connection whose head is read. */
export function held(id: number): HeldConnection {
  const connection = holdConnection(id, new Socket());
  read(connection, { bytes: Buffer.from('GET'), hasHead: true });
  return connection;
}
