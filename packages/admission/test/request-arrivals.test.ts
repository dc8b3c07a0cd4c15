import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { watchArrivals } from '../src/http/request-arrivals.ts';
import type { Admission } from '../src/index.ts';

/** An admission that counts connections and the times that it was asked for. */
function countingAdmission() {
  let [connections, reads] = [0, 0];
  const admission = {
    connected() {
      connections += 1;
    },
    arrivedAt() {
      reads += 1;
      return reads;
    },
  } as Admission;
  return { admission, connections: () => connections };
}

test('the first request of a connection can have arrived when the connection was accepted, later ones when they are read', () => {
  const { admission, connections } = countingAdmission();
  const server = new EventEmitter() as Server;
  const arrivalOf = watchArrivals(server, admission);
  const [one, two] = [{ socket: {} }, { socket: {} }];
  for (const { socket } of [one, two]) server.emit('connection', socket);
  expect(connections()).toBe(2);
  expect([arrivalOf(two as never), arrivalOf(one as never)]).toEqual([2, 1]);
  expect([arrivalOf(one as never), arrivalOf(two as never)]).toEqual([3, 4]);
});

test('a request that comes later than its connection arrives when it is read', async () => {
  const { admission } = countingAdmission();
  const server = new EventEmitter() as Server;
  const arrivalOf = watchArrivals(server, admission);
  const request = { socket: {} } as never;
  server.emit('connection', (request as { socket: object }).socket);
  await after(21);
  expect(arrivalOf(request)).toBe(2);
});
