import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { watchClients } from '../src/http/watch-clients.ts';

/** A response behind others of its connection has no socket yet. */
function responseOf(connection: EventEmitter, isBehind: boolean): ServerResponse {
  const socket = isBehind ? null : connection;
  return Object.assign(new EventEmitter(), { socket, req: { socket: connection } }) as never;
}

test('watchClients(): a response is over when it closes, or when the connection of a request that was sent ahead does', () => {
  const whenOver = watchClients();
  const connection = new EventEmitter();
  const over: string[] = [];
  const responses = ['first', 'second', 'third', 'fourth'].map((name) => {
    const response = responseOf(connection, name !== 'first');
    whenOver(response, () => over.push(name));
    return response;
  });
  expect(connection.listenerCount('close')).toBe(1);
  responses[0]?.emit('close');
  responses[2]?.emit('close');
  expect(over).toEqual(['first', 'third']);
  connection.emit('close');
  expect(over).toEqual(['first', 'third', 'second', 'fourth']);
});
