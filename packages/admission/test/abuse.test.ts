import { createServer } from 'node:http';
import express from 'express';
import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { admitRoutes } from '../src/fastify/index.ts';
import { admitRequests } from '../src/http/index.ts';
import { createAdmission } from '../src/index.ts';

test.each([
  [undefined, TypeError, '`options` must be an object, got undefined'],
  [{}, TypeError, '`deadlineMs` must be an integer of 1 to 2147483647, got undefined'],
  [{ deadlineMs: 0 }, RangeError, '`deadlineMs` must be an integer of 1 to 2147483647, got 0'],
  [
    { deadlineMs: 1, maxInFlight: 0 },
    RangeError,
    '`maxInFlight` must be auto, off or an integer of 1 or more, got 0',
  ],
  [
    { deadlineMs: 1, maxInFlight: 'none' },
    TypeError,
    '`maxInFlight` must be auto, off or an integer of 1 or more, got none',
  ],
  [{ deadlineMs: 1, isUnderWay: true }, TypeError, '`isUnderWay` must be a function, got true'],
  [{ deadlineMs: 1, signs: {} }, TypeError, '`signs` must be a function, got [object Object]'],
  [{ deadline: 1 }, TypeError, 'unknown option `deadline`; did you mean `deadlineMs`?'],
])('createAdmission(%j) throws', (options, type, message) => {
  expect(() => createAdmission(options as never)).toThrow(
    new type(`Cannot create admission: ${message}`),
  );
});

test.each([
  [{}, '`admission` must be an object with apply, connected, arrivedAt, got undefined'],
  [{ admission: 5 }, '`admission` must be an object with apply, connected, arrivedAt, got 5'],
  [{ admission: 'good', isExempt: 5 }, '`isExempt` must be a function, got 5'],
  [{ admission: 'good', key: 5 }, 'unknown option `key`; did you mean `keyOf`?'],
  [{ admission: 'good', refuse: 503 }, '`refuse` must be a function, got 503'],
])('admitRequests(server, %j) throws', async (given: Record<string, unknown>, message) => {
  await using admission = createAdmission({ deadlineMs: 1 });
  const options = given['admission'] === 'good' ? { ...given, admission } : given;
  expect(() => admitRequests(createServer(), options as never)).toThrow(
    new TypeError(`Cannot admit requests: ${message}`),
  );
});

test('admitRequests() throws for an app in place of its server, and for a second call', async () => {
  await using admission = createAdmission({ deadlineMs: 1 });
  expect(() => admitRequests(express() as never, { admission })).toThrow(
    'Cannot admit requests: `server` must be a server of node:http, got a function',
  );
  const server = createServer();
  admitRequests(server, { admission });
  expect(() => admitRequests(server, { admission })).toThrow(
    'Cannot admit requests: the requests of this server wait for an admission already',
  );
});

test.each([
  [{}, '`admission` must be an object with apply, connected, arrivedAt, got undefined'],
  [
    { admission: 'good', keyOf: 5 },
    'unknown option `keyOf`; known are admission, arrivedAt, refuse',
  ],
  [{ admission: 'good', arrivedAt: 5 }, '`arrivedAt` must be a function, got 5'],
])('register(admitRoutes, %j) rejects', async (given: Record<string, unknown>, message) => {
  await using admission = createAdmission({ deadlineMs: 1 });
  const options = given['admission'] === 'good' ? { ...given, admission } : given;
  await expect(async () => fastify().register(admitRoutes, options as never)).rejects.toThrow(
    new TypeError(`Cannot register admitRoutes: ${message}`),
  );
});

test('admitRoutes is registered once per scope', async () => {
  await using admission = createAdmission({ deadlineMs: 1 });
  const app = fastify();
  await app.register(admitRoutes, { admission });
  await expect(async () => app.register(admitRoutes, { admission })).rejects.toThrow(
    'Cannot register admitRoutes: it is registered in this scope already',
  );
});
